package io.weir.control.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.LoadBalancerApplication;
import io.weir.config.ActiveConfig;
import io.weir.config.InvalidConfigException;
import io.weir.config.ProxyConfig;
import io.weir.control.Api;
import io.weir.control.store.TestDatabase;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** What the operator asked for outlives the process. */
class RestartIT {

    @TempDir
    private Path directory = Path.of("");

    private final int listenerPort = Api.freePort();

    @ParameterizedTest
    @EnumSource
    void aRestartBringsEverythingBack(TestDatabase database) {
        String url = database.in(directory);
        String before;
        ProxyConfig running;
        try (ConfigurableApplicationContext first = start(url)) {
            Api api = api(first);
            api.put("/api/v1/upstreams/app", """
                    {"balancing": {"method": "least_conn"}, "keepalive": {"time": "90m"},
                     "servers": [{"address": "127.0.0.1:1", "weight": 3, "state": "drain"},
                                 {"address": "[::1]:2", "backup": true, "failTimeout": "1m"}, {"address": "127.0.0.1"}]}
                    """);
            api.put("/api/v1/listeners/web/routes", """
                    {"items": [
                      {"name": "z", "path": {"type": "regex", "value": "^/\\\\d+$"}, "upstream": "app",
                       "proxy": {"readTimeout": "500ms", "nextUpstream": ["off"],
                                 "httpVersion": "1.0", "interceptErrors": true, "redirect": "off"}, "headers": {"X-A": "b"},
                       "errorPages": [{"codes": [502, 404], "body": "é $host", "status": 503}, {"codes": [413]}]},
                      {"name": "a", "hosts": ["*.example.org"], "methods": ["GET"], "upstream": "app", "rewritePrefix": "/x",
                       "requestHeaders": {"set": {"X-2": "$host", "X-1": ""}, "remove": ["X-3"]}, "maxBodySize": "0"},
                      {"name": "m", "respond": {"status": 204, "body": "", "contentType": "text/html"},
                       "accessLog": false},
                      {"name": "d", "path": {"value": "/d"}, "address": "http://$arg_to"}]}
                    """);
            api.patch(
                    "/api/v1/listeners/web",
                    "{\"accessLog\":{\"path\":\"" + directory.resolve("access.log") + "\",\"format\":\"$status\","
                            + "\"escape\":\"json\",\"rotate\":{\"size\":\"1M\"}}}");
            api.delete("/api/v1/upstreams/app/servers/3");
            api.post("/api/v1/upstreams/app/servers/1/drain", "{\"timeout\":\"5m\",\"then\":\"down\"}");
            assertThat(api.get("/api/v1/upstreams/app/servers/1/drain?wait=25s")
                            .json()
                            .path("done")
                            .asBoolean())
                    .isTrue();
            before = api.everything();
            running = first.getBean(ActiveConfig.class).current();
        }
        try (ConfigurableApplicationContext second = start(url)) {
            Api api = api(second);
            assertThat(api.everything()).isEqualTo(before);
            assertThat(second.getBean(ActiveConfig.class).current()).isEqualTo(running);
            assertThat(api.post("/api/v1/upstreams/app/servers", "{\"address\":\"127.0.0.1:9\"}")
                            .json()
                            .path("id")
                            .asInt())
                    .as("the id of the removed server stays unused")
                    .isEqualTo(4);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anEmptyDatabaseGetsAListenerThatStaysAwayOnceItWasRemoved(TestDatabase database) {
        String url = database.in(directory);
        try (ConfigurableApplicationContext first = start(url)) {
            Api.Reply web = api(first).get("/api/v1/listeners/web");
            assertThat(web.json().path("port").asInt()).isEqualTo(listenerPort);
            assertThat(web.json().path("bind").asString()).isEqualTo("0.0.0.0");
            assertThat(web.header("ETag")).isEqualTo("\"1\"");
            api(first).delete("/api/v1/listeners/web");
        }
        try (ConfigurableApplicationContext second = start(url)) {
            assertThat(api(second).get("/api/v1/listeners").json().path("items"))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatCannotRunKeepsWeirFromStarting(TestDatabase database) {
        String url = database.in(directory);
        try (ConfigurableApplicationContext first = start(url)) {
            api(first).put("/api/v1/upstreams/app", "{\"servers\":[{\"address\":\"127.0.0.1:1\"}]}");
            first.getBean(JdbcTemplate.class).update("update upstream set balancing_method = 'astrology'");
        }
        assertThatThrownBy(() -> start(url))
                .hasRootCauseInstanceOf(InvalidConfigException.class)
                .hasStackTraceContaining("upstreams[0].balancing.method");
    }

    @ParameterizedTest
    @EnumSource
    void aPortThatSomebodyElseTookKeepsWeirFromStarting(TestDatabase database) throws IOException {
        String url = database.in(directory);
        start(url).close();
        try (ServerSocket taken = new ServerSocket(listenerPort)) {
            assertThatThrownBy(() -> start(url))
                    .hasRootCauseInstanceOf(InvalidConfigException.class)
                    .hasStackTraceContaining("listeners[0].port");
        }
        start(url).close();
    }

    private ConfigurableApplicationContext start(String url) {
        return new SpringApplicationBuilder(LoadBalancerApplication.class)
                .run(
                        "--server.port=0",
                        "--server.address=127.0.0.1",
                        "--weir.first-listener.port=" + listenerPort,
                        "--weir.node.last-good=" + directory.resolve("last-good.json"),
                        "--spring.datasource.url=" + url);
    }

    private static Api api(ConfigurableApplicationContext context) {
        return new Api(context.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
    }
}
