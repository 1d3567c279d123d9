package io.weir.control.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.LoadBalancerApplication;
import io.weir.control.Api;
import io.weir.proxy.Client;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationContext;
import org.springframework.web.servlet.handler.AbstractUrlHandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/** With credentials configured: the whole application, and everything that it answers. */
@SpringBootTest(
        classes = LoadBalancerApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.datasource.url=jdbc:h2:mem:access;DB_CLOSE_DELAY=-1",
            "weir.first-listener.enabled=false",
            "server.address=127.0.0.1",
            "weir.admin.token=t0ken",
            "weir.admin.username=ann",
            // of "secret"
            "weir.admin.password={bcrypt}$2a$04$WttnQPGgBuJIIMZ2N95Anu5svq8UMJsK8.iNodTgE5uXq/QMllZP."
        })
class AccessIT {

    private static final String HEALTH = "/actuator/health";
    private static final String UPSTREAMS = "/api/v1/upstreams";
    private static final List<String> METHODS =
            List.of("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "PROPFIND");
    private static final List<String> WRONG = List.of(
            "Bearer t0ken2",
            "Bearer t0ke",
            "Bearer",
            "Bearer ",
            "t0ken",
            "Digest t0ken",
            "Basic",
            "Basic !",
            basic("ann", "t0ken"),
            basic("ann", ""),
            basic("bob", "secret"),
            basic("token", "secret"),
            basic("", ""),
            "Basic " + Base64.getEncoder().encodeToString("ann".getBytes(StandardCharsets.US_ASCII)));
    private static final List<String> RIGHT =
            List.of("Bearer t0ken", "bearer  t0ken", basic("ann", "secret"), basic("token", "t0ken"));

    private final Api api;
    private final int port;
    private final ApplicationContext context;

    AccessIT(@LocalServerPort int port, ApplicationContext context) {
        this.port = port;
        this.context = context;
        api = new Api(port);
    }

    private static String basic(String name, String password) {
        return "Basic " + Base64.getEncoder().encodeToString((name + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    /** All that Spring MVC has a handler for, controllers, actuator and static resources alike; variables are named x. */
    private Set<String> paths() {
        Set<String> paths = new TreeSet<>();
        context.getBeansOfType(RequestMappingInfoHandlerMapping.class)
                .values()
                .forEach(mapping -> mapping.getHandlerMethods()
                        .keySet()
                        .forEach(info -> info.getPatternValues().forEach(pattern -> paths.add(path(pattern)))));
        context.getBeansOfType(AbstractUrlHandlerMapping.class).values().forEach(mapping -> {
            mapping.getHandlerMap().keySet().forEach(pattern -> paths.add(path(pattern)));
            if (mapping.getRootHandler() != null) {
                paths.add("/");
            }
        });
        return paths;
    }

    private static String path(String pattern) {
        return pattern.replaceAll("\\{[^}]*}", "x").replace("**", "x").replace("*", "x");
    }

    private static boolean isOpen(String path) {
        return path.equals(HEALTH) || path.startsWith(HEALTH + "/");
    }

    @Test
    void everyEndpointButHealthAsksForCredentials() throws IOException {
        Set<String> paths = paths();
        assertThat(paths)
                .contains(
                        UPSTREAMS,
                        "/api/v1/status",
                        "/api/v1/listeners/x/routes/x",
                        "/actuator/prometheus",
                        "/v3/api-docs",
                        "/swagger-ui.html",
                        "/error",
                        "/")
                .anySatisfy(path -> assertThat(path).startsWith("/swagger-ui/"));
        for (String path : paths) {
            for (String method : METHODS) {
                if (isOpen(path)) {
                    assertThat(status(method, path, null))
                            .as("%s %s", method, path)
                            .isNotEqualTo(401);
                    continue;
                }
                assertThat(status(method, path, null)).as("%s %s", method, path).isEqualTo(401);
                assertThat(status(method, path, WRONG.get(0)))
                        .as("%s %s, wrong", method, path)
                        .isEqualTo(401);
                assertThat(status(method, path, RIGHT.get(0)))
                        .as("%s %s, right", method, path)
                        .isNotIn(401, 403, 500);
            }
        }
    }

    @Test
    void whatIsRightIsTakenAndWhatIsWrongIsNot() throws IOException {
        for (String authorization : RIGHT) {
            assertThat(status("GET", UPSTREAMS, authorization))
                    .as(authorization)
                    .isEqualTo(200);
        }
        for (String authorization : WRONG) {
            assertThat(status("GET", UPSTREAMS, authorization))
                    .as(authorization)
                    .isEqualTo(401);
            assertThat(status("GET", HEALTH + "/readiness", authorization))
                    .as(authorization)
                    .isEqualTo(200);
        }
        assertThat(status("GET", UPSTREAMS, WRONG.get(0) + "\r\nAuthorization: " + RIGHT.get(0)))
                .isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/..;/v1/upstreams",
                "/actuator/health/..;/prometheus",
                "/actuator/health/../prometheus",
                "/actuator/health/..%2Fprometheus",
                "/actuator/health/..%2F..%2Fapi/v1/upstreams",
                "/actuator/health/%2e%2e/prometheus",
                "/actuator/health/%252e%252e/prometheus",
                "/actuator/health/.%00./prometheus",
                "/actuator/health;/../prometheus",
                "/actuator/health/\\..\\prometheus",
                "/actuator/health%2F..%2Fprometheus",
                "/actuator//prometheus",
                "/actuator/./prometheus",
                "//api/v1/upstreams",
                "//actuator/health/../prometheus",
                "/api//v1/upstreams",
                "/%61pi/v1/upstreams",
                "/api/v1/upstreams/",
                "/api/v1/upstreams;",
                "/api/v1/upstreams%00",
                "/API/v1/upstreams",
                "/api/v1/upstreams.json",
                "/api/v1/upstreams?x=/actuator/health",
                "/api/v1/upstreams#/actuator/health",
                "http://localhost/api/v1/upstreams",
                "http://localhost/actuator/health/../prometheus",
                "/actuator/healthy",
                "/actuator/prometheus/",
                "/actuator",
                "/error",
                "/nothing"
            })
    void noSpellingOfAPathGoesPastTheCheck(String path) throws IOException {
        for (String method : List.of("GET", "HEAD", "DELETE")) {
            Client.Response response = request(method, path, null);
            assertThat(response.status()).as(method).isIn(400, 401);
            assertThat(response.body()).doesNotContain("weir_", "items", "go_", "jvm_");
        }
    }

    /** An error is reported by another dispatch, which must not be refused in its stead. */
    @Test
    void aFaultOfTheRequestIsToldAndNotTakenForMissingCredentials() throws IOException {
        String authorization = RIGHT.get(0);
        Api.Reply invalid = api.send("POST", UPSTREAMS, "{\"name\":\"a b\"}", "Authorization", authorization);
        assertThat(invalid.status()).isEqualTo(400);
        assertThat(invalid.fields()).containsExactly("name");
        Api.Reply missing = api.send("GET", "/nothing", null, "Authorization", authorization);
        assertThat(missing.status()).isEqualTo(404);
        assertThat(missing.json().path("code").asString()).isEqualTo("NOT_FOUND");
        Api.Reply method = api.send("DELETE", UPSTREAMS, null, "Authorization", authorization);
        assertThat(method.status()).isEqualTo(405);
        Client.Response rejected = request("GET", "/api/v1/upstreams/a;b", authorization);
        assertThat(rejected.status()).isEqualTo(400);
        assertThat(rejected.field("Content-Type")).isEqualTo("application/problem+json");
        assertThat(rejected.body()).contains("\"code\":\"BAD_REQUEST\"");
    }

    @Test
    void aRefusalIsAlwaysTheSameProblemAndSaysWhatToSend() throws IOException {
        Set<String> bodies = new TreeSet<>();
        for (String authorization : WRONG) {
            Client.Response response = request("GET", UPSTREAMS, authorization);
            assertThat(response.field("Content-Type")).isEqualTo("application/problem+json");
            assertThat(response.head())
                    .contains("WWW-Authenticate: Bearer realm=\"weir\"", "WWW-Authenticate: Basic realm=\"weir\"")
                    .doesNotContainIgnoringCase("Set-Cookie");
            bodies.add(response.body().replaceAll("\"requestId\":\"[^\"]+\"", ""));
        }
        assertThat(bodies)
                .singleElement()
                .asString()
                .contains("\"status\":401", "\"code\":\"UNAUTHORIZED\"")
                .doesNotContain("t0ken", "secret", "ann");
    }

    @Test
    void everyAnswerHasTheHeadersOfSecurityAndNoSession() throws IOException {
        for (String path : List.of(UPSTREAMS, "/swagger-ui/index.html", "/v3/api-docs", HEALTH, "/nothing")) {
            for (String authorization : new String[] {null, RIGHT.get(0)}) {
                Client.Response response = request("GET", path, authorization);
                assertThat(response.field("X-Content-Type-Options")).as(path).isEqualTo("nosniff");
                assertThat(response.field("X-Frame-Options")).as(path).isEqualTo("DENY");
                assertThat(response.field("Referrer-Policy")).as(path).isEqualTo("no-referrer");
                assertThat(response.field("Content-Security-Policy"))
                        .as(path)
                        .contains("default-src 'self'", "frame-ancestors 'none'");
                assertThat(response.field("Cache-Control")).as(path).contains("no-store");
                assertThat(response.head()).as(path).doesNotContainIgnoringCase("Set-Cookie");
            }
        }
    }

    /** A browser sends a user's password along with what another site's page asks for. */
    @Test
    void pagesOfOthersCannotWriteWithTheUsersPassword() {
        Api.Reply reply = api.send(
                "PUT",
                UPSTREAMS + "/app",
                "{}",
                "Authorization",
                basic("ann", "secret"),
                "Origin",
                "http://evil.example");
        assertThat(reply.status()).isEqualTo(403);
        assertThat(reply.json().path("code").asString()).isEqualTo("FORBIDDEN_ORIGIN");
    }

    /** Tomcat takes any byte above 127 in a field; it is the sender's affair. */
    @Test
    void fieldsThatNobodyReadsMayHoldAnything() throws IOException {
        assertThat(status("GET", UPSTREAMS, RIGHT.get(0) + "\r\nX-Change-Reason: f\u00c3\u0085r alle"))
                .isEqualTo(200);
    }

    private int status(String method, String path, String authorization) throws IOException {
        return request(method, path, authorization).status();
    }

    private Client.Response request(String method, String path, String authorization) throws IOException {
        String fields = authorization == null ? "" : "Authorization: " + authorization + "\r\n";
        try (Client client = Client.to(port)) {
            return client.request(String.format(
                    Locale.ROOT,
                    "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n%s\r\n",
                    method,
                    path,
                    fields));
        }
    }
}
