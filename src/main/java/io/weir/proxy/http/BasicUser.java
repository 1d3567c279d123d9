package io.weir.proxy.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** The user name of a request with Basic authorization (RFC 7617); nobody has checked the password. */
final class BasicUser {

    private static final String SCHEME = "Basic ";

    private BasicUser() {}

    /** One char for each byte of the name; null if there is none. */
    static @Nullable String of(HttpFields headers) {
        String value = headers.get(HttpHeaderNames.AUTHORIZATION);
        if (value == null || !value.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return null;
        }
        byte[] decoded;
        try {
            decoded =
                    Base64.getDecoder().decode(value.substring(SCHEME.length()).strip());
        } catch (IllegalArgumentException e) {
            return null;
        }
        String pair = new String(decoded, StandardCharsets.ISO_8859_1);
        int colon = pair.indexOf(':');
        return colon <= 0 ? null : pair.substring(0, colon);
    }
}
