package io.weir.control.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.config.HeaderRules;
import io.weir.config.HttpListenerConfig;
import io.weir.config.KeepaliveConfig;
import io.weir.config.ListenerConfig;
import io.weir.config.MethodSpec;
import io.weir.config.PathMatch;
import io.weir.config.ProxySettings;
import io.weir.config.RouteConfig;
import io.weir.config.RouteTarget;
import io.weir.config.ServerConfig;
import io.weir.config.StickyConfig;
import io.weir.config.Template;
import io.weir.config.UpstreamConfig;
import io.weir.control.state.ConfigState;
import io.weir.control.state.Resource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** That all of a configuration comes back is shown beside the database, by {@link ConfigStoreContract}. */
class LastGoodFileTest {

    @TempDir
    private Path directory;

    private Path path;
    private LastGoodFile file;
    private Stored stored;

    @BeforeEach
    void start() {
        path = directory.resolve("data/last-good.json");
        file = new LastGoodFile(path);
        stored = stored("app");
    }

    private static Stored stored(String group) {
        StickyConfig sticky = new StickyConfig.Cookie("srv", "1h", "", "/", true, false, "lax");
        UpstreamConfig upstream = new UpstreamConfig(
                group,
                new MethodSpec("hash", Map.of("key", "$arg_user", "consistent", true)),
                sticky,
                KeepaliveConfig.DEFAULT,
                List.of(ServerConfig.of(1, "127.0.0.1:1"), ServerConfig.of(3, "[::1]:2")));
        ConfigState state =
                ConfigState.EMPTY.with(upstream, 7, Resource.upstream(group)).after();
        ListenerConfig web = new HttpListenerConfig(
                "web",
                "127.0.0.1",
                8000,
                List.of(
                        route("z", new RouteTarget.Upstream(group)),
                        route("a", new RouteTarget.Address(Template.parse("http://$arg_to"))),
                        route("m", new RouteTarget.Respond(200, Template.parse("grüß dich 🦊"), "text/plain"))));
        ConfigState all = state.with(web, Resource.listener("web")).after();
        return new Stored(new Version(all.config().revision(), "a change"), all);
    }

    private static RouteConfig route(String name, RouteTarget target) {
        return new RouteConfig(
                name,
                List.of(),
                PathMatch.ALL,
                List.of(),
                Map.of(),
                target,
                null,
                ProxySettings.DEFAULT,
                RouteConfig.DEFAULT_MAX_BODY_SIZE,
                HeaderRules.NONE,
                HeaderRules.NONE);
    }

    @Test
    void whatIsWrittenIsReadAgain() throws IOException {
        assertThat(file.read()).isNull();
        file.write(stored);
        assertThat(new LastGoodFile(path).read()).isEqualTo(stored);
        Stored next = stored("other");
        file.write(next);
        assertThat(file.read()).isEqualTo(next);
    }

    @Test
    void itIsForItsOwnerAloneAndLeavesNothingBehind() throws IOException {
        Files.createDirectories(path.getParent());
        Files.writeString(path.resolveSibling("last-good.json.new"), "left by a process that was killed");
        file.write(stored);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-------");
        try (Stream<Path> files = Files.list(path.getParent())) {
            assertThat(files).containsExactly(path);
        }
    }

    @Test
    void printedAnewItIsStillGood() throws IOException {
        file.write(stored);
        JsonMapper mapper = new JsonMapper();
        Files.writeString(
                path, mapper.writerWithDefaultPrettyPrinter().writeValueAsString(mapper.readTree(path.toFile())));
        assertThat(Files.readString(path)).contains("\n");
        assertThat(file.read()).isEqualTo(stored);
    }

    @ParameterizedTest
    @CsvSource({
        "'\"weight\":1', '\"weight\":2'", // one byte
        "'\"change\":\"a change\"', '\"change\":\"another\"'",
        "127.0.0.1:1, 127.0.0.2:1",
    })
    void whatIsChangedIsNoticed(String from, String to) throws IOException {
        file.write(stored);
        String text = Files.readString(path);
        assertThat(text).contains(from);
        Files.writeString(path, text.replace(from, to));
        assertUnusable("its checksum is wrong");
    }

    @Test
    void halfAFileIsNoticed() throws IOException {
        file.write(stored);
        String text = Files.readString(path);
        Files.writeString(path, text.substring(0, text.length() / 2));
        assertUnusable("no JSON");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{}", "null", "7"})
    void somethingElseIsNoticed(String text) throws IOException {
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
        assertUnusable("");
    }

    @Test
    void anotherFormatIsNoticed() throws IOException {
        file.write(stored);
        Files.writeString(path, Files.readString(path).replace("\"format\":1", "\"format\":2"));
        assertUnusable("its format is 2, and this Weir reads 1");
    }

    @Test
    void aFolderInItsPlaceIsNoticed() throws IOException {
        Files.createDirectories(path);
        assertUnusable("not readable");
    }

    private void assertUnusable(String why) {
        assertThatThrownBy(file::read)
                .isInstanceOf(LastGoodException.class)
                .hasMessageContaining(path.toString())
                .hasMessageContaining(why);
    }
}
