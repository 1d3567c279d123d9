package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.Api;
import io.weir.proxy.Client;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Credentials of the program as it is installed. */
class CredentialsIT {

    /** Of "secret", as htpasswd writes it. */
    private static final String HASH = "$2y$04$WttnQPGgBuJIIMZ2N95Anu5svq8UMJsK8.iNodTgE5uXq/QMllZP.";

    @TempDir
    private Path directory;

    @Test
    void secretsComeFromFilesAndTheListenersKnowNothingOfThem() throws Exception {
        Path secrets = Files.createDirectory(directory.resolve("secrets"));
        Files.writeString(secrets.resolve("weir.admin.token"), "t0ken-of-a-file\n");
        Files.writeString(secrets.resolve("weir.admin.username"), "ann\n");
        Files.writeString(secrets.resolve("weir.admin.password"), "{bcrypt}" + HASH + "\n");
        try (WeirProcess weir = WeirProcess.start(
                directory, "--server.address=0.0.0.0", "--spring.config.import=optional:configtree:" + secrets + "/")) {
            Api api = weir.api();
            assertThat(api.get("/api/v1/status").status()).isEqualTo(401);
            assertThat(status(api, "Bearer t0ken-of-a-file")).isEqualTo(200);
            assertThat(status(api, basic("ann:secret"))).isEqualTo(200);
            assertThat(status(api, basic("token:t0ken-of-a-file"))).isEqualTo(200);
            assertThat(status(api, basic("ann:t0ken-of-a-file"))).isEqualTo(401);
            assertThat(status(api, "Bearer t0ken-of-a-file\\n")).isEqualTo(401);
            Client.Response proxied = Client.get(weir.port(), "/");
            assertThat(proxied.status()).isEqualTo(404);
            assertThat(proxied.head()).doesNotContain("WWW-Authenticate", "Content-Security-Policy", "X-Frame-Options");
            assertThat(Files.readString(weir.printed()))
                    .containsOnlyOnce("The control plane asks for credentials")
                    .doesNotContain("password", "t0ken", HASH);
        }
    }

    @Test
    void withoutAnyOneLineWarns() throws Exception {
        try (WeirProcess weir =
                WeirProcess.start(directory, "--spring.config.import=optional:configtree:" + directory + "/none/")) {
            assertThat(weir.api().get("/api/v1/status").status()).isEqualTo(200);
            assertThat(Files.readString(weir.printed()))
                    .containsOnlyOnce("The control plane asks for no credentials")
                    .doesNotContainIgnoringCase("generated");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "--weir.admin.username=ann, weir.admin.password is missing",
        "--weir.admin.token=, 'weir.admin.token is set, but empty'",
        "--server.address=0.0.0.0, asks for no credentials",
        "--management.server.port=0, asks for no credentials",
    })
    void whatIsHalfConfiguredDoesNotStart(String argument, String reason) throws Exception {
        try (WeirProcess weir = WeirProcess.create(directory, argument)) {
            weir.launch();
            assertThat(weir.awaitExit()).isEqualTo(1);
            assertThat(Files.readString(weir.printed()))
                    .contains("APPLICATION FAILED TO START", reason)
                    .doesNotContain("\tat ");
        }
    }

    private static int status(Api api, String authorization) {
        return api.send("GET", "/api/v1/status", null, "Authorization", authorization)
                .status();
    }

    private static String basic(String pair) {
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }
}
