package io.weir.control.store;

import io.weir.config.AccessLogConfig;
import io.weir.config.ClientSettings;
import io.weir.config.HttpListenerConfig;
import io.weir.config.RealIpConfig;
import io.weir.config.RouteConfig;
import jakarta.persistence.Entity;
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
    private String bind;
    private int port;
    private boolean proxyProtocol;
    private @Nullable String realIp;
    private String accessLog;
    private String client;

    @SuppressWarnings("NullAway.Init") // filled by Hibernate
    protected ListenerRow() {}

    @SuppressWarnings("NullAway.Init") // filled by update
    ListenerRow(String name) {
        this.name = name;
    }

    void update(HttpListenerConfig config, long revision) {
        this.revision = revision;
        bind = config.bind();
        port = config.port();
        proxyProtocol = config.proxyProtocol();
        realIp = config.realIp() == null ? null : StoredJson.write(config.realIp());
        accessLog = StoredJson.write(config.accessLog());
        client = StoredJson.write(config.client());
    }

    HttpListenerConfig toConfig(List<RouteConfig> routes) {
        RealIpConfig trust = realIp == null ? null : StoredJson.read(realIp, RealIpConfig.class);
        AccessLogConfig log = StoredJson.read(accessLog, AccessLogConfig.DEFAULT);
        ClientSettings clients = StoredJson.read(client, ClientSettings.DEFAULT);
        return new HttpListenerConfig(name, bind, port, proxyProtocol, trust, log, clients, routes);
    }

    String name() {
        return name;
    }

    long revision() {
        return revision;
    }
}
