package io.weir.proxy.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.weir.proxy.http.HeadWriter.Framing;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The head of a request, checked and taken apart. Immutable. */
final class ClientRequest {

    private final RequestHead message;
    private final @Nullable String brokenLine;
    private final RequestTarget target;
    private final String host;
    private final String method;
    private final Framing framing;
    private final long length;

    /**
     * @param message whose framing was found to be in order
     * @param host in lower case and without port, empty if the client named none
     */
    ClientRequest(RequestHead message, RequestTarget target, String host) {
        this.message = message;
        this.brokenLine = null;
        this.target = target;
        this.host = host;
        this.method = message.method();
        HttpFields headers = message.headers();
        String declared = headers.get(HttpHeaderNames.CONTENT_LENGTH);
        if (headers.contains(HttpHeaderNames.TRANSFER_ENCODING)) {
            framing = Framing.CHUNKED;
            length = Long.MAX_VALUE;
        } else if (declared != null) {
            framing = Framing.LENGTH;
            length = Long.parseLong(declared);
        } else {
            framing = Framing.NONE;
            length = 0;
        }
    }

    /** What was read of a request that is refused without a look for its route; only a log asks for it. */
    private ClientRequest(RequestHead message, @Nullable String brokenLine) {
        this.message = message;
        this.brokenLine = brokenLine;
        RequestTarget parsed = RequestTarget.parse(message.target());
        this.target = parsed == null ? new RequestTarget(message.target(), "", null, null) : parsed;
        this.host = "";
        this.method = brokenLine == null ? message.method() : "";
        this.framing = Framing.NONE;
        this.length = 0;
    }

    /** A request of which the head was read, and is not one that can be served. */
    static ClientRequest refused(RequestHead message) {
        return new ClientRequest(message, null);
    }

    /** What is not even a request line. */
    static ClientRequest broken(String line) {
        return new ClientRequest(new RequestHead("", "", RequestHead.HTTP_1_0, HttpFields.NONE, 400), line);
    }

    /** What was read in place of a request line; null if there was one. */
    @Nullable
    String brokenLine() {
        return brokenLine;
    }

    HttpFields headers() {
        return message.headers();
    }

    String method() {
        return method;
    }

    boolean isHead() {
        return method.equals("HEAD");
    }

    /** The target as the client sent it, in whatever form. */
    String uri() {
        return message.target();
    }

    int version() {
        return message.version();
    }

    /** As the request line has it; empty if there was none. */
    String protocol() {
        return switch (version()) {
            case RequestHead.HTTP_1_1 -> "HTTP/1.1";
            case RequestHead.HTTP_1_0 -> "HTTP/1.0";
            default -> "HTTP/" + version() / 10 + "." + version() % 10;
        };
    }

    RequestTarget target() {
        return target;
    }

    String host() {
        return host;
    }

    /** How the end of the body is told. */
    Framing framing() {
        return framing;
    }

    /** Bytes of the body, {@link Long#MAX_VALUE} if they come in chunks. */
    long length() {
        return length;
    }

    /** Whether the client waits for a 100 before it sends the body. */
    boolean expectsContinue() {
        return length > 0
                && version() == RequestHead.HTTP_1_1
                && headers().lists(HttpHeaderNames.EXPECT, "100-continue");
    }

    /**
     * Whether the client asks for another protocol and may have it. HTTP/2 is left out: on such a connection requests
     * would pass that no route has seen.
     */
    boolean wantsUpgrade() {
        String protocol = headers().get(HttpHeaderNames.UPGRADE);
        return protocol != null
                && version() == RequestHead.HTTP_1_1
                && framing == Framing.NONE
                && headers().lists(HttpHeaderNames.CONNECTION, "upgrade")
                && !protocol.toLowerCase(Locale.ROOT).contains("h2c");
    }

    /** The target as the upstream of this route gets it. */
    String targetFor(Route route) {
        String prefix = route.config().rewritePrefix();
        if (prefix == null) {
            return target.raw();
        }
        String rest = target.path().substring(route.path().length());
        String path = prefix + Escapes.path(rest);
        return target.query() == null ? path : path + "?" + target.query();
    }
}
