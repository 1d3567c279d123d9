package io.weir.control.store;

import io.weir.config.AccessLogConfig;
import io.weir.config.ClientSettings;
import io.weir.config.HttpListenerConfig;
import io.weir.config.ListenerConfig;
import io.weir.config.ListenerProtocol;
import io.weir.config.RealIpConfig;
import io.weir.config.RouteConfig;
import io.weir.config.StreamClientSettings;
import io.weir.config.StreamListenerConfig;
import io.weir.config.StreamRouteConfig;
import io.weir.config.StreamSettings;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A listener without its routes. */
@Entity
@Table(name = "listener")
class ListenerRow {

    @Id
    private String name;

    private long revision;

    @Enumerated(EnumType.STRING)
    private ListenerProtocol protocol;

    private String bind;
    private int port;
    private boolean proxyProtocol;
    private @Nullable String realIp;
    private String accessLog;
    private String client;
    private boolean sslPreread;
    private @Nullable String upstream;
    private @Nullable String proxy;

    @SuppressWarnings("NullAway.Init") // filled by Hibernate
    protected ListenerRow() {}

    @SuppressWarnings("NullAway.Init") // filled by update
    ListenerRow(String name) {
        this.name = name;
    }

    void update(ListenerConfig config, long revision) {
        this.revision = revision;
        protocol = config.protocol();
        bind = config.bind();
        port = config.port();
        proxyProtocol = config.proxyProtocol();
        realIp = config.realIp() == null ? null : StoredJson.write(config.realIp());
        accessLog = StoredJson.write(config.accessLog());
        if (config instanceof StreamListenerConfig stream) {
            client = StoredJson.write(stream.client());
            sslPreread = stream.sslPreread();
            upstream = stream.upstream();
            proxy = StoredJson.write(stream.proxy());
        } else if (config instanceof HttpListenerConfig http) {
            client = StoredJson.write(http.client());
            sslPreread = false;
            upstream = null;
            proxy = null;
        }
    }

    /** The routes of the other kind are none. */
    ListenerConfig toConfig(List<RouteConfig> routes, List<StreamRouteConfig> streamRoutes) {
        RealIpConfig trust = realIp == null ? null : StoredJson.read(realIp, RealIpConfig.class);
        AccessLogConfig log = StoredJson.read(accessLog, AccessLogConfig.DEFAULT);
        if (protocol == ListenerProtocol.HTTP) {
            ClientSettings clients = StoredJson.read(client, ClientSettings.DEFAULT);
            return new HttpListenerConfig(name, bind, port, proxyProtocol, trust, log, clients, routes);
        }
        return new StreamListenerConfig(
                name,
                protocol,
                bind,
                port,
                proxyProtocol,
                trust,
                log,
                StoredJson.read(client, StreamClientSettings.DEFAULT),
                sslPreread,
                streamRoutes,
                upstream,
                proxy == null ? StreamSettings.DEFAULT : StoredJson.read(proxy, StreamSettings.DEFAULT));
    }

    String name() {
        return name;
    }

    long revision() {
        return revision;
    }
}
