package io.weir.control.store;

import io.weir.config.StreamRouteConfig;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;

/** A route of a stream listener. Lists are JSON, see {@link StoredJson}. */
@Entity
@Table(name = "stream_route")
@IdClass(RouteRow.Key.class)
class StreamRouteRow implements PlacedRow<StreamRouteConfig> {

    @Id
    private String listener;

    @Id
    private String name;

    private int position;
    private long revision;
    private String hosts;
    private String alpn;
    private String upstream;

    @SuppressWarnings("NullAway.Init") // filled by Hibernate
    protected StreamRouteRow() {}

    @SuppressWarnings("NullAway.Init") // filled by update
    StreamRouteRow(String listener, String name) {
        this.listener = listener;
        this.name = name;
    }

    @Override
    public void update(StreamRouteConfig config, long revision, int position) {
        this.revision = revision;
        this.position = position;
        hosts = StoredJson.write(config.hosts());
        alpn = StoredJson.write(config.alpn());
        upstream = config.upstream();
    }

    StreamRouteConfig toConfig() {
        return new StreamRouteConfig(name, StoredJson.strings(hosts), StoredJson.strings(alpn), upstream);
    }

    String listener() {
        return listener;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int position() {
        return position;
    }

    long revision() {
        return revision;
    }
}
