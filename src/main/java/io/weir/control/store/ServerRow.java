package io.weir.control.store;

import io.weir.config.AdminState;
import io.weir.config.DrainConfig;
import io.weir.config.ServerAddress;
import io.weir.config.ServerConfig;
import io.weir.config.TimeSpan;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import org.jspecify.annotations.Nullable;

/** A server of an upstream group. */
@Entity
@Table(name = "server")
@IdClass(ServerRow.Key.class)
class ServerRow {

    record Key(String upstream, int id) {}

    /** As nginx takes for HTTP where an address names none. */
    private static final int DEFAULT_PORT = 80;

    @Id
    private String upstream;

    @Id
    private int id;

    private int position;
    private long revision;
    private String address;
    private int weight;
    private int maxConns;
    private int maxFails;
    private String failTimeout;
    private String slowStart;
    private boolean backup;

    @Enumerated(EnumType.STRING)
    private AdminState state;

    private String route;

    /** A {@link DrainConfig}; null for none. */
    private @Nullable String drain;

    @SuppressWarnings("NullAway.Init") // filled by Hibernate
    protected ServerRow() {}

    @SuppressWarnings("NullAway.Init") // filled by update
    ServerRow(String upstream, int id) {
        this.upstream = upstream;
        this.id = id;
    }

    void update(ServerConfig config, long revision, int position) {
        this.revision = revision;
        this.position = position;
        address = config.address().text();
        weight = config.weight();
        maxConns = config.maxConns();
        maxFails = config.maxFails();
        failTimeout = config.failTimeout().text();
        slowStart = config.slowStart().text();
        backup = config.backup();
        state = config.state();
        route = config.route();
        drain = config.drain() == null ? null : StoredJson.write(config.drain());
    }

    ServerConfig toConfig() {
        return new ServerConfig(
                id,
                ServerAddress.parse(address, DEFAULT_PORT),
                weight,
                maxConns,
                maxFails,
                TimeSpan.parse(failTimeout),
                TimeSpan.parse(slowStart),
                backup,
                state,
                route,
                drain == null ? null : StoredJson.read(drain, DrainConfig.class));
    }

    String upstream() {
        return upstream;
    }

    int id() {
        return id;
    }

    int position() {
        return position;
    }

    long revision() {
        return revision;
    }
}
