package io.weir.proxy.http;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** An answer of Weir's own: that of a route, a page for an error, or a line that names the status. */
record Answer(int status, String contentType, byte[] body) {

    static Answer text(int status, String text) {
        return new Answer(status, "text/plain", text.getBytes(StandardCharsets.UTF_8));
    }

    /** A line that names the status. */
    static Answer line(int status) {
        return text(status, status + " " + HttpResponseStatus.valueOf(status).reasonPhrase() + "\n");
    }

    /** What an exchange gets for an error: the page that its route has for it, or else a line. */
    static Answer error(Exchange exchange, int code) {
        Route route = exchange.route();
        ErrorPages.Page page = route == null ? null : route.errorPages().of(code);
        if (page == null) {
            return line(code);
        }
        Integer status = page.status();
        return of(exchange, status == null ? code : status, page.contentType(), page.body());
    }

    /** One that is worked out for an exchange. */
    static Answer of(Exchange exchange, int status, String contentType, Text body) {
        // the body may speak of it
        exchange.response().announce(status);
        return new Answer(status, contentType, body.of(exchange).getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Whether an error of a server is answered with a page, as the route wants it. */
    static boolean intercepts(@Nullable Route route, int code) {
        return route != null
                && code >= 300
                && route.config().proxy().interceptErrors()
                && route.errorPages().of(code) != null;
    }
}
