package io.weir;

import io.weir.config.HeaderRules;
import io.weir.config.HttpListenerConfig;
import io.weir.config.KeepaliveConfig;
import io.weir.config.MethodSpec;
import io.weir.config.PathMatch;
import io.weir.config.ProxySettings;
import io.weir.config.RouteConfig;
import io.weir.config.RouteTarget;
import io.weir.config.ServerConfig;
import io.weir.config.Template;
import io.weir.config.UpstreamConfig;
import io.weir.control.change.Configuration;
import io.weir.control.state.Resource;
import io.weir.control.store.StoreException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Profile;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/**
 * Something to balance for a newcomer: three tiny backends in this process, a group {@code demo} of weights 5, 1 and 1, and
 * a route to it on the listener {@code web}. What is there already is left as it is.
 */
@org.springframework.context.annotation.Configuration(proxyBeanMethods = false)
@Profile("demo")
class DemoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(DemoConfiguration.class);

    private static final String NAME = "demo";
    private static final String LISTENER = "web";
    private static final List<String> BACKENDS = List.of("a", "b", "c");
    private static final int FIRST_WEIGHT = 5;

    @Bean
    SmartLifecycle demo(Configuration configuration, DemoProperties properties) {
        int firstPort = properties.firstPort();
        return new SmartLifecycle() {

            private final List<DisposableServer> backends = new ArrayList<>();

            @Override
            public void start() {
                for (int i = 0; i < BACKENDS.size(); i++) {
                    backends.add(backend(BACKENDS.get(i), firstPort + i));
                }
                try {
                    addGroup(configuration, firstPort);
                    addRoute(configuration);
                } catch (StoreException e) {
                    log.warn("The demo is not added: {}", e.getMessage());
                }
                configuration
                        .state()
                        .config()
                        .listener(LISTENER)
                        .ifPresent(web -> log.info("The demo answers: curl localhost:{}", web.port()));
            }

            @Override
            public void stop() {
                backends.forEach(DisposableServer::disposeNow);
                backends.clear();
            }

            @Override
            public boolean isRunning() {
                return !backends.isEmpty();
            }

            /** After the stored configuration has started, and so before the data plane stops. */
            @Override
            public int getPhase() {
                return 1;
            }
        };
    }

    private static DisposableServer backend(String name, int port) {
        return HttpServer.create()
                .host("127.0.0.1")
                .port(port)
                .handle((request, response) -> response.sendString(Mono.just(name + "\n")))
                .bindNow();
    }

    private static void addGroup(Configuration configuration, int firstPort) {
        if (configuration.state().config().upstream(NAME).isPresent()) {
            return;
        }
        List<ServerConfig> servers = new ArrayList<>();
        for (int i = 0; i < BACKENDS.size(); i++) {
            ServerConfig server = ServerConfig.of(i + 1, "127.0.0.1:" + (firstPort + i));
            servers.add(i == 0 ? server.withWeight(FIRST_WEIGHT) : server);
        }
        UpstreamConfig group = new UpstreamConfig(NAME, MethodSpec.ROUND_ROBIN, KeepaliveConfig.DEFAULT, servers);
        configuration.change(false, state -> state.with(group, servers.size() + 1, Resource.upstream(NAME)));
    }

    private static void addRoute(Configuration configuration) {
        if (!(configuration.state().config().listener(LISTENER).orElse(null) instanceof HttpListenerConfig web)
                || !web.routes().isEmpty()) {
            return;
        }
        Map<String, Template> fields = new LinkedHashMap<>();
        fields.put("X-Upstream", Template.parse("$upstream_addr"));
        fields.put("X-Attempts", Template.parse("$upstream_status"));
        RouteConfig route = new RouteConfig(
                NAME,
                List.of(),
                PathMatch.ALL,
                List.of(),
                Map.of(),
                new RouteTarget.Upstream(NAME),
                null,
                ProxySettings.DEFAULT,
                RouteConfig.DEFAULT_MAX_BODY_SIZE,
                HeaderRules.NONE,
                new HeaderRules(fields, List.of()));
        HttpListenerConfig next = web.withRoutes(List.of(route));
        configuration.change(false, state -> state.with(next, Resource.listener(LISTENER)));
    }
}
