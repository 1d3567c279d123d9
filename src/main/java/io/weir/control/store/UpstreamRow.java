package io.weir.control.store;

import io.weir.config.GroupProtocol;
import io.weir.config.KeepaliveConfig;
import io.weir.config.MethodSpec;
import io.weir.config.ServerConfig;
import io.weir.config.TimeSpan;
import io.weir.config.UpstreamConfig;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.List;

/** An upstream group without its servers. */
@Entity
@Table(name = "upstream")
class UpstreamRow {

    @Id
    private String name;

    private long revision;

    @Enumerated(EnumType.STRING)
    private GroupProtocol protocol;

    private String balancingMethod;

    private String balancingArguments;

    private String stickyType;
    private String sticky;
    private int keepaliveConnections;
    private boolean keepaliveLocal;
    private int keepaliveRequests;
    private String keepaliveTime;
    private String keepaliveTimeout;
    private int nextServerId;

    @SuppressWarnings("NullAway.Init") // filled by Hibernate
    protected UpstreamRow() {}

    @SuppressWarnings("NullAway.Init") // filled by update
    UpstreamRow(String name) {
        this.name = name;
    }

    void update(UpstreamConfig config, long revision, int nextServerId) {
        this.revision = revision;
        this.nextServerId = nextServerId;
        protocol = config.protocol();
        balancingMethod = config.balancing().method();
        balancingArguments = StoredJson.write(config.balancing().arguments());
        stickyType = StoredSticky.type(config.sticky());
        sticky = StoredSticky.write(config.sticky());
        KeepaliveConfig keepalive = config.keepalive();
        keepaliveConnections = keepalive.connections();
        keepaliveLocal = keepalive.local();
        keepaliveRequests = keepalive.requests();
        keepaliveTime = keepalive.time().text();
        keepaliveTimeout = keepalive.timeout().text();
    }

    UpstreamConfig toConfig(List<ServerConfig> servers) {
        return new UpstreamConfig(
                name,
                protocol,
                new MethodSpec(balancingMethod, StoredJson.arguments(balancingArguments)),
                StoredSticky.read(stickyType, sticky),
                new KeepaliveConfig(
                        keepaliveConnections,
                        keepaliveLocal,
                        keepaliveRequests,
                        TimeSpan.parse(keepaliveTime),
                        TimeSpan.parse(keepaliveTimeout)),
                servers);
    }

    String name() {
        return name;
    }

    long revision() {
        return revision;
    }

    int nextServerId() {
        return nextServerId;
    }
}
