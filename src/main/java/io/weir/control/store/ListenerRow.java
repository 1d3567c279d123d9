package io.weir.control.store;

import io.weir.config.ListenerConfig;
import io.weir.config.RouteConfig;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.List;

/** A listener without its routes. */
@Entity
@Table(name = "listener")
class ListenerRow {

    @Id
    private String name;

    private long revision;
    private String bind;
    private int port;

    @SuppressWarnings("NullAway.Init") // filled by Hibernate
    protected ListenerRow() {}

    @SuppressWarnings("NullAway.Init") // filled by update
    ListenerRow(String name) {
        this.name = name;
    }

    void update(ListenerConfig config, long revision) {
        this.revision = revision;
        bind = config.bind();
        port = config.port();
    }

    ListenerConfig toConfig(List<RouteConfig> routes) {
        return new ListenerConfig(name, bind, port, routes);
    }

    String name() {
        return name;
    }

    long revision() {
        return revision;
    }
}
