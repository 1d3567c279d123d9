package io.weir.proxy.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.util.AsciiString;

/** Which fields of an upstream's response go on to the client. */
final class ResponseFields {

    static final AsciiString ACCEL_LIMIT_RATE = new AsciiString("X-Accel-Limit-Rate");
    static final AsciiString ACCEL_BUFFERING = new AsciiString("X-Accel-Buffering");
    private static final AsciiString ACCEL_EXPIRES = new AsciiString("X-Accel-Expires");
    private static final AsciiString ACCEL_REDIRECT = new AsciiString("X-Accel-Redirect");
    private static final AsciiString ACCEL_CHARSET = new AsciiString("X-Accel-Charset");
    private static final AsciiString X_PAD = new AsciiString("X-Pad");
    private static final AsciiString REFRESH = new AsciiString("Refresh");
    private static final AsciiString KEEP_ALIVE = new AsciiString("Keep-Alive");
    private static final AsciiString PROXY_CONNECTION = new AsciiString("Proxy-Connection");

    private ResponseFields() {}

    /** Fields that end at this hop, are written anew, or were meant for the proxy alone. */
    static boolean isLeftOut(AsciiString name) {
        return switch (name.length()) {
            case 4 -> HttpHeaderNames.DATE.contentEqualsIgnoreCase(name);
            case 5 -> X_PAD.contentEqualsIgnoreCase(name);
            case 6 -> HttpHeaderNames.SERVER.contentEqualsIgnoreCase(name);
            case 7 -> HttpHeaderNames.UPGRADE.contentEqualsIgnoreCase(name);
            case 10 ->
                HttpHeaderNames.CONNECTION.contentEqualsIgnoreCase(name) || KEEP_ALIVE.contentEqualsIgnoreCase(name);
            case 14 -> HttpHeaderNames.CONTENT_LENGTH.contentEqualsIgnoreCase(name);
            case 15 -> ACCEL_EXPIRES.contentEqualsIgnoreCase(name) || ACCEL_CHARSET.contentEqualsIgnoreCase(name);
            case 16 -> ACCEL_REDIRECT.contentEqualsIgnoreCase(name) || PROXY_CONNECTION.contentEqualsIgnoreCase(name);
            case 17 ->
                HttpHeaderNames.TRANSFER_ENCODING.contentEqualsIgnoreCase(name)
                        || ACCEL_BUFFERING.contentEqualsIgnoreCase(name);
            case 18 -> ACCEL_LIMIT_RATE.contentEqualsIgnoreCase(name);
            default -> false;
        };
    }

    /**
     * A bit for each field that a response has once, of those that go on: as in nginx, a second one is ignored, since a
     * client might take either.
     *
     * @return 0 for a field that may come again
     */
    static int single(AsciiString name) {
        return switch (name.length()) {
            case 4 -> HttpHeaderNames.ETAG.contentEqualsIgnoreCase(name) ? 1 : 0;
            case 7 ->
                HttpHeaderNames.EXPIRES.contentEqualsIgnoreCase(name)
                        ? 2
                        : REFRESH.contentEqualsIgnoreCase(name) ? 4 : 0;
            case 8 -> HttpHeaderNames.LOCATION.contentEqualsIgnoreCase(name) ? 8 : 0;
            case 12 -> HttpHeaderNames.CONTENT_TYPE.contentEqualsIgnoreCase(name) ? 16 : 0;
            case 13 -> HttpHeaderNames.LAST_MODIFIED.contentEqualsIgnoreCase(name) ? 32 : 0;
            default -> 0;
        };
    }
}
