package io.weir.control.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.InvalidConfigException;
import io.weir.config.KeepaliveConfig;
import io.weir.config.MethodSpec;
import io.weir.config.ServerConfig;
import io.weir.config.UpstreamConfig;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DraftTest {

    private final ConfigState empty = ConfigState.EMPTY;

    @Test
    void onlyWhatDiffersGetsTheNewRevision() {
        ConfigState one = with(empty, group("b", 1, 1)).after();
        ConfigState two = with(one, group("a", 1)).after();
        ConfigState three = with(two, group("b", 1, 5)).after();
        assertThat(three.config().revision()).isEqualTo(3);
        assertThat(three.revision(Resource.upstream("a"))).isEqualTo(2);
        assertThat(three.revision(Resource.upstream("b"))).isEqualTo(3);
        assertThat(three.revision(Resource.server("b", 0))).isEqualTo(1);
        assertThat(three.revision(Resource.server("b", 1))).isEqualTo(3);
        assertThat(three.revision(Resource.server("b", 2))).isNull();
        assertThat(three.revision(Resource.servers("b"))).isEqualTo(3);
        assertThat(three.revision(Resource.LISTENERS)).isEqualTo(3);
    }

    @Test
    void differencesAreToldInTheOrderOfTheirPaths() {
        ConfigState before = with(empty, group("b", 1, 1)).after();
        ConfigState after = with(before, group("b", 2)).after();
        assertThat(ResourceChange.between(before, after))
                .containsExactly(
                        new ResourceChange(ResourceChange.Action.CHANGED, Resource.upstream("b")),
                        new ResourceChange(ResourceChange.Action.CHANGED, Resource.server("b", 0)),
                        new ResourceChange(ResourceChange.Action.REMOVED, Resource.server("b", 1)));
        assertThat(with(before, group("b", 1, 1)).changesNothing()).isTrue();
    }

    @Test
    void violationsAreToldAsSeenFromTheSubject() {
        ConfigState before =
                with(with(empty, group("a", 1)).after(), group("b", 1, 1)).after();
        UpstreamConfig b = group("b", 1, 1);
        String field = "upstreams[1].servers[1].address";
        assertThat(seen(before.with(b, 9, Resource.upstream("b")), field)).isEqualTo("servers[1].address");
        assertThat(seen(before.with(b, 9, Resource.servers("b")), field)).isEqualTo("items[1].address");
        assertThat(seen(before.with(b, 9, Resource.server("b", 1)), field)).isEqualTo("address");
        assertThat(seen(before.with(b, 9, Resource.server("b", 0)), field)).isEqualTo(field);
        assertThat(seen(before.with(b, 9, Resource.upstream("b")), "upstreams[10].name"))
                .isEqualTo("upstreams[10].name");
    }

    @Test
    void whatIsWrongWithAllTogetherIsToldOfTheSubject() {
        ConfigState before =
                with(with(empty, group("a", 1)).after(), group("b", 1, 1)).after();
        UpstreamConfig b = group("b", 1, 1);
        String field = "upstreams[1].servers[*].weight";
        assertThat(seen(before.with(b, 9, Resource.upstream("b")), field)).isEqualTo("servers");
        assertThat(seen(before.with(b, 9, Resource.servers("b")), field)).isEqualTo("items");
        assertThat(seen(before.with(b, 9, Resource.server("b", 1)), field)).isEqualTo("weight");
        assertThat(seen(before.with(b, 9, Resource.upstream("a")), field)).isEqualTo("upstreams[1].servers");
    }

    private static String seen(Draft draft, String field) {
        return draft.seenFromSubject(new InvalidConfigException(field, "x"))
                .violations()
                .get(0)
                .field();
    }

    private static Draft with(ConfigState state, UpstreamConfig upstream) {
        return state.with(upstream, 9, Resource.upstream(upstream.name()));
    }

    private static UpstreamConfig group(String name, int... weights) {
        List<ServerConfig> servers = IntStream.range(0, weights.length)
                .mapToObj(i -> ServerConfig.of(i, "127.0.0.1:" + (i + 1)).withWeight(weights[i]))
                .toList();
        return new UpstreamConfig(name, MethodSpec.ROUND_ROBIN, KeepaliveConfig.DEFAULT, servers);
    }
}
