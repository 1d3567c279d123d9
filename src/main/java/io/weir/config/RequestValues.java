package io.weir.config;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * What one request or session can be asked about itself. Asked only by who needs it, on the thread of the request, so that
 * nobody pays for what nobody asks.
 */
public interface RequestValues {

    /** Of a request of which nothing is known. */
    RequestValues NONE = new RequestValues() {
        @Override
        public String value(Template template) {
            return "";
        }

        @Override
        public @Nullable InetAddress clientAddress() {
            return null;
        }
    };

    /** What {@code template} is worth now; a variable without a value is empty. */
    String value(Template template);

    /** Where the client is, after trusted proxies were seen through; null if that is no IP address. */
    @Nullable
    InetAddress clientAddress();
}
