package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The head of a response, byte for byte as the client was sent it. Immutable. */
final class SentHead {

    private final String text;

    private SentHead(String text) {
        this.text = text;
    }

    static SentHead copyOf(ByteBuf head) {
        return new SentHead(head.toString(StandardCharsets.ISO_8859_1));
    }

    /** The value of a field, several of one name joined; null if it is not there. */
    @Nullable
    String field(String name) {
        String found = null;
        // behind the status line; each line ends in CR LF, and the last is empty
        for (int at = text.indexOf('\n') + 1; at > 0; at = text.indexOf('\n', at) + 1) {
            int colon = at + name.length();
            if (colon < text.length()
                    && text.charAt(colon) == ':'
                    && text.regionMatches(true, at, name, 0, name.length())) {
                String value =
                        text.substring(colon + 1, text.indexOf('\r', colon)).strip();
                found = found == null ? value : found + ", " + value;
            }
        }
        return found;
    }
}
