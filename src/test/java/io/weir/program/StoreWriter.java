package io.weir.program;

import io.weir.config.AccessLogConfig;
import io.weir.config.AccessRule;
import io.weir.config.ActiveConfig;
import io.weir.config.ByteSize;
import io.weir.config.Cidr;
import io.weir.config.ClientSettings;
import io.weir.config.GroupProtocol;
import io.weir.config.HeaderBuffers;
import io.weir.config.HeaderRules;
import io.weir.config.HttpListenerConfig;
import io.weir.config.KeepaliveConfig;
import io.weir.config.ListenerConfig;
import io.weir.config.ListenerProtocol;
import io.weir.config.MethodSpec;
import io.weir.config.PathMatch;
import io.weir.config.ProxyHeaderVersion;
import io.weir.config.ProxySettings;
import io.weir.config.RealIpConfig;
import io.weir.config.RouteConfig;
import io.weir.config.RouteTarget;
import io.weir.config.ServerConfig;
import io.weir.config.StreamClientSettings;
import io.weir.config.StreamListenerConfig;
import io.weir.config.StreamRouteConfig;
import io.weir.config.StreamSettings;
import io.weir.config.TimeSpan;
import io.weir.config.UpstreamConfig;
import io.weir.control.change.Configuration;
import io.weir.control.state.ConfigState;
import io.weir.control.state.Draft;
import io.weir.control.state.Resource;
import io.weir.upstream.AddressResolver;
import io.weir.upstream.Upstreams;
import io.weir.zone.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;

/**
 * The program of {@link CrashIT}: Weir's store and its one way to change the configuration, with the settings of
 * {@code application.yaml} but no web and no data plane, so that it starts in a fraction of the time. It writes until it is
 * killed, and tells on standard output, a line each,
 *
 * <ul>
 *   <li>{@code LOADED state}: what it found,
 *   <li>{@code TRY state}: what will be stored by the write that begins now,
 *   <li>{@code DONE}: that the write was acknowledged.
 * </ul>
 *
 * <p>A state is all that the store holds: every field of the configuration, all revisions, all ids.
 */
@TestConfiguration(proxyBeanMethods = false)
@ConfigurationPropertiesScan("io.weir")
@ImportAutoConfiguration({
    DataSourceAutoConfiguration.class,
    DataSourceTransactionManagerAutoConfiguration.class,
    TransactionAutoConfiguration.class,
    HibernateJpaAutoConfiguration.class,
    DataJpaRepositoriesAutoConfiguration.class,
    FlywayAutoConfiguration.class
})
@ComponentScan({"io.weir.control.store", "io.weir.control.change", "io.weir.control.node"})
@EntityScan("io.weir.control.store")
@EnableJpaRepositories("io.weir.control.store")
class StoreWriter {

    /** Ends a line, since one that was cut does not count. */
    static final String END = " .";

    private static final int GROUPS = 3;
    private static final int MOST_SERVERS = 8;
    private static final String OF_STREAMS = "group-2";

    @Bean
    Upstreams upstreams() {
        return new Upstreams(Ticker.system(), AddressResolver.system());
    }

    @Bean
    ActiveConfig activeConfig() {
        return new ActiveConfig(List.of());
    }

    /** @param args a seed, and arguments of Spring */
    public static void main(String[] args) {
        SpringApplication application = new SpringApplication(StoreWriter.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setLogStartupInfo(false);
        ConfigurableApplicationContext context = application.run(args);
        Configuration configuration = context.getBean(Configuration.class);
        Random random = new Random(Long.getLong("seed", 0));
        tell("LOADED " + text(configuration.state()));
        while (true) {
            configuration.change(false, state -> {
                Draft draft = draft(state, random);
                tell("TRY " + text(draft.after()));
                return draft;
            });
            tell("DONE");
        }
    }

    private static void tell(String line) {
        System.out.println(line + END);
    }

    /** In an order that does not depend on the process. */
    private static String text(ConfigState state) {
        Map<String, Long> revisions = new TreeMap<>();
        state.revisions().forEach((resource, revision) -> revisions.put(resource.toString(), revision));
        return "" + state.config() + revisions + new TreeMap<>(state.nextServerIds());
    }

    /** One of the writes that the API offers, touching one row or many. */
    private static Draft draft(ConfigState state, Random random) {
        String name = "group-" + random.nextInt(GROUPS);
        UpstreamConfig group = state.config().upstream(name).orElse(null);
        if (group == null) {
            UpstreamConfig created = group(name, List.of(server(1, random), server(2, random)));
            return state.with(created, 3, Resource.upstream(name));
        }
        int next = state.nextServerId(name);
        List<ServerConfig> servers = new ArrayList<>(group.servers());
        switch (random.nextInt(8)) {
            case 0 -> {
                if (servers.size() < MOST_SERVERS) {
                    servers.add(server(next++, random));
                } else {
                    servers.remove(random.nextInt(servers.size()));
                }
            }
            case 1 -> {
                if (servers.isEmpty()) {
                    servers.add(server(next++, random));
                } else {
                    servers.remove(random.nextInt(servers.size()));
                }
            }
            case 2 -> {
                // a whole new set
                servers.clear();
                for (int i = 0; i < MOST_SERVERS; i++) {
                    servers.add(server(next++, random));
                }
            }
            case 3 -> {
                ListenerConfig listener = random.nextBoolean() ? listener(state, random) : stream(state, random);
                return state.with(listener, Resource.listener("web"));
            }
            case 4 -> {
                if (isUnused(state, name)) {
                    return state.withoutUpstream(name);
                }
                servers.replaceAll(server -> server(server.id(), random));
            }
            default -> {
                // every row of the group at once, as halves would show there
                servers.replaceAll(server -> server(server.id(), random));
            }
        }
        if (servers.equals(group.servers())) {
            servers.add(server(next++, random));
        }
        UpstreamConfig changed = group(name, servers);
        return state.with(changed, next, Resource.upstream(name));
    }

    private static boolean isUnused(ConfigState state, String group) {
        return state.config().listeners().stream()
                .flatMap(listener -> listener.references().stream())
                .noneMatch(reference -> reference.upstream().equals(group));
    }

    private static UpstreamConfig group(String name, List<ServerConfig> servers) {
        if (name.equals(OF_STREAMS)) {
            return UpstreamConfig.ofStream(name, MethodSpec.ROUND_ROBIN, servers);
        }
        return new UpstreamConfig(name, MethodSpec.ROUND_ROBIN, KeepaliveConfig.DEFAULT, servers);
    }

    private static ServerConfig server(int id, Random random) {
        return ServerConfig.of(id, "127.0.0.1:" + (1 + random.nextInt(60_000))).withWeight(1 + random.nextInt(1000));
    }

    private static ListenerConfig listener(ConfigState state, Random random) {
        List<RouteConfig> routes = new ArrayList<>();
        for (UpstreamConfig group : state.config().upstreams()) {
            if (group.protocol() == GroupProtocol.HTTP && random.nextBoolean()) {
                routes.add(new RouteConfig(
                        "to-" + group.name(),
                        List.of(),
                        PathMatch.ALL,
                        List.of(),
                        Map.of("X-Version", Integer.toString(random.nextInt())),
                        new RouteTarget.Upstream(group.name()),
                        null,
                        ProxySettings.DEFAULT,
                        RouteConfig.DEFAULT_MAX_BODY_SIZE,
                        HeaderRules.NONE,
                        HeaderRules.NONE));
            }
        }
        RealIpConfig realIp = random.nextBoolean()
                ? null
                : new RealIpConfig(
                        List.of(Cidr.parse("10.0.0.0/8"), Cidr.parse("::1")), "X-Forwarded-For", random.nextBoolean());
        int port = 1 + random.nextInt(60_000);
        return new HttpListenerConfig(
                "web",
                "127.0.0.1",
                port,
                random.nextBoolean(),
                realIp,
                AccessLogConfig.DEFAULT,
                client(random),
                routes);
    }

    /** Of TCP or UDP; of HTTP while there is no group for it. */
    private static ListenerConfig stream(ConfigState state, Random random) {
        List<String> groups = state.config().upstreams().stream()
                .filter(group -> group.protocol() == GroupProtocol.STREAM)
                .map(UpstreamConfig::name)
                .toList();
        if (groups.isEmpty()) {
            return listener(state, random);
        }
        boolean datagrams = random.nextBoolean();
        boolean preread = !datagrams && random.nextBoolean();
        List<StreamRouteConfig> routes = new ArrayList<>();
        if (preread) {
            groups.forEach(group -> routes.add(new StreamRouteConfig(
                    "to-" + group, List.of("h" + random.nextInt() + ".example"), List.of("h2"), group)));
        }
        return new StreamListenerConfig(
                "web",
                datagrams ? ListenerProtocol.UDP : ListenerProtocol.TCP,
                "127.0.0.1",
                1 + random.nextInt(60_000),
                false,
                null,
                AccessLogConfig.STREAM_DEFAULT,
                new StreamClientSettings(
                        List.of(AccessRule.parse(true, "10.0.0.0/8"), AccessRule.parse(false, AccessRule.ALL)),
                        TimeSpan.parse("5s"),
                        TimeSpan.parse("6s"),
                        ByteSize.parse("8k"),
                        random.nextInt(50_000),
                        random.nextInt(100)),
                preread,
                routes,
                preread && random.nextBoolean() ? null : groups.get(random.nextInt(groups.size())),
                proxy(datagrams, random));
    }

    private static StreamSettings proxy(boolean datagrams, Random random) {
        StreamSettings s = StreamSettings.DEFAULT;
        return new StreamSettings(
                s.connectTimeout(),
                TimeSpan.parse(1 + random.nextInt(1000) + "s"),
                !datagrams && random.nextBoolean(),
                random.nextBoolean(),
                random.nextInt(5),
                s.nextUpstreamTimeout(),
                datagrams ? random.nextInt(5) : 0,
                datagrams && random.nextBoolean() ? Integer.valueOf(random.nextInt(5)) : null,
                s.uploadRate(),
                ByteSize.parse("1m"),
                s.bufferSize(),
                random.nextBoolean() ? ProxyHeaderVersion.V2 : null,
                random.nextBoolean());
    }

    private static ClientSettings client(Random random) {
        ClientSettings c = ClientSettings.DEFAULT;
        return new ClientSettings(
                c.headerTimeout(),
                c.bodyTimeout(),
                c.sendTimeout(),
                c.keepaliveTimeout(),
                1 + random.nextInt(5_000),
                new HeaderBuffers(1 + random.nextInt(8), ByteSize.parse("16k")),
                c.maxHeaders(),
                c.lingeringTimeout(),
                c.lingeringTime(),
                random.nextInt(50_000),
                random.nextInt(100));
    }
}
