package io.weir.control.store;

import io.weir.config.ByteSize;
import io.weir.config.ErrorPage;
import io.weir.config.HeaderRules;
import io.weir.config.PathMatch;
import io.weir.config.ProxySettings;
import io.weir.config.RouteConfig;
import io.weir.config.RouteTarget;
import io.weir.config.Template;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A route of a listener. Lists and nested settings are JSON, see {@link StoredJson}. */
@Entity
@Table(name = "route")
@IdClass(RouteRow.Key.class)
class RouteRow implements PlacedRow<RouteConfig> {

    record Key(String listener, String name) {}

    @Id
    private String listener;

    @Id
    private String name;

    private int position;
    private long revision;

    private String hosts;

    @Enumerated(EnumType.STRING)
    private PathMatch.Type pathType;

    private String pathValue;

    private boolean pathNoRegex;

    private String methods;

    private String headers;

    private @Nullable String upstream;

    private @Nullable String address;

    private @Nullable String respond;

    private @Nullable String rewritePrefix;

    private String proxy;

    private String maxBodySize;

    private String requestHeaders;

    private String responseHeaders;

    private String errorPages;

    private boolean accessLog;

    @SuppressWarnings("NullAway.Init") // filled by Hibernate
    protected RouteRow() {}

    @SuppressWarnings("NullAway.Init") // filled by update
    RouteRow(String listener, String name) {
        this.listener = listener;
        this.name = name;
    }

    @Override
    public void update(RouteConfig config, long revision, int position) {
        this.revision = revision;
        this.position = position;
        hosts = StoredJson.write(config.hosts());
        pathType = config.path().type();
        pathValue = config.path().value();
        pathNoRegex = config.path().noRegex();
        methods = StoredJson.write(config.methods());
        headers = StoredJson.write(config.headers());
        RouteTarget target = config.target();
        upstream = target instanceof RouteTarget.Upstream group ? group.name() : null;
        address = target instanceof RouteTarget.Address url ? url.url().text() : null;
        respond = target instanceof RouteTarget.Respond ? StoredJson.write(target) : null;
        rewritePrefix = config.rewritePrefix();
        proxy = StoredJson.write(config.proxy());
        maxBodySize = config.maxBodySize().text();
        requestHeaders = StoredJson.write(config.requestHeaders());
        responseHeaders = StoredJson.write(config.responseHeaders());
        errorPages = StoredJson.write(config.errorPages());
        accessLog = config.accessLog();
    }

    RouteConfig toConfig() {
        return new RouteConfig(
                name,
                StoredJson.strings(hosts),
                new PathMatch(pathType, pathValue, pathNoRegex),
                StoredJson.strings(methods),
                StoredJson.stringMap(headers),
                target(),
                rewritePrefix,
                StoredJson.read(proxy, ProxySettings.DEFAULT),
                ByteSize.parse(maxBodySize),
                StoredJson.read(requestHeaders, HeaderRules.NONE),
                StoredJson.read(responseHeaders, HeaderRules.NONE),
                List.of(StoredJson.read(errorPages, ErrorPage[].class)),
                accessLog);
    }

    private RouteTarget target() {
        if (upstream != null) {
            return new RouteTarget.Upstream(upstream);
        }
        if (address != null) {
            return new RouteTarget.Address(Template.parse(address));
        }
        if (respond != null) {
            return StoredJson.read(respond, RouteTarget.Respond.class);
        }
        throw new IllegalStateException("route " + name + " of listener " + listener + " has no target in the store");
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
