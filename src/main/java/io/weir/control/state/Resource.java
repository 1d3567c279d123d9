package io.weir.control.state;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * The address of a part of the configuration that can be read, changed and has a revision.
 *
 * @param parent name of the group or listener that holds it, empty if none does
 * @param name its name, the id of a server, empty for a collection
 */
public record Resource(Kind kind, String parent, String name) {

    /** What it is; a collection shares the revision of what holds it. */
    public enum Kind {
        UPSTREAMS,
        UPSTREAM,
        SERVERS,
        SERVER,
        LISTENERS,
        LISTENER,
        ROUTES,
        ROUTE
    }

    public static final String API = "/api/v1";
    public static final Resource UPSTREAMS = new Resource(Kind.UPSTREAMS, "", "");
    public static final Resource LISTENERS = new Resource(Kind.LISTENERS, "", "");

    public static Resource upstream(String name) {
        return new Resource(Kind.UPSTREAM, "", name);
    }

    public static Resource servers(String upstream) {
        return new Resource(Kind.SERVERS, upstream, "");
    }

    public static Resource server(String upstream, int id) {
        return new Resource(Kind.SERVER, upstream, Integer.toString(id));
    }

    public static Resource listener(String name) {
        return new Resource(Kind.LISTENER, "", name);
    }

    public static Resource routes(String listener) {
        return new Resource(Kind.ROUTES, listener, "");
    }

    public static Resource route(String listener, String name) {
        return new Resource(Kind.ROUTE, listener, name);
    }

    /** Where the API has it. */
    public String path() {
        return switch (kind) {
            case UPSTREAMS -> API + "/upstreams";
            case UPSTREAM -> UPSTREAMS.path() + "/" + encode(name);
            case SERVERS -> upstream(parent).path() + "/servers";
            case SERVER -> servers(parent).path() + "/" + name;
            case LISTENERS -> API + "/listeners";
            case LISTENER -> LISTENERS.path() + "/" + encode(name);
            case ROUTES -> listener(parent).path() + "/routes";
            case ROUTE -> routes(parent).path() + "/" + encode(name);
        };
    }

    private static String encode(String segment) {
        return URLEncoder.encode(segment, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return path();
    }
}
