package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.util.AsciiString;
import io.weir.config.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes heads of messages as bytes: what goes on from the one side to the other, and what is Weir's own. */
final class HeadWriter {

    static final int CR_LF = '\r' << 8 | '\n';
    static final int COLON_SP = ':' << 8 | ' ';

    private static final Logger log = LoggerFactory.getLogger(HeadWriter.class);

    private static final byte[] HTTP_1_0_CRLF = ascii(" HTTP/1.0\r\n");
    private static final byte[] HTTP_1_1_CRLF = ascii(" HTTP/1.1\r\n");
    private static final byte[] STATUS_LINE = ascii("HTTP/1.1 ");
    private static final byte[] SERVER = ascii("Server: weir\r\n");
    private static final byte[] DATE = ascii("Date: ");
    private static final byte[] CONTENT_LENGTH = ascii("Content-Length: ");
    private static final byte[] CHUNKED = ascii("Transfer-Encoding: chunked\r\n");
    private static final byte[] CLOSE = ascii("Connection: close\r\n");
    private static final byte[] KEEP_ALIVE = ascii("Connection: keep-alive\r\n");
    private static final byte[] UPGRADE = ascii("Connection: Upgrade\r\n");

    // Netty's constants are in lower case, which is as good but not what people are used to seeing
    private static final AsciiString HOST = new AsciiString("Host");
    private static final AsciiString SET_COOKIE = new AsciiString("Set-Cookie");
    private static final AsciiString CONTENT_TYPE = new AsciiString("Content-Type");
    private static final AsciiString UPGRADE_FIELD = new AsciiString("Upgrade");
    private static final AsciiString KEEP_ALIVE_FIELD = new AsciiString("Keep-Alive");
    private static final AsciiString CHALLENGE = new AsciiString("WWW-Authenticate");
    private static final AsciiString PROXY_CONNECTION = new AsciiString("Proxy-Connection");

    /** How the end of a body is told. */
    enum Framing {
        NONE,
        LENGTH,
        CHUNKED,
        CLOSE
    }

    private HeadWriter() {}

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The head of a request as the upstream gets it. */
    static void writeRequest(ByteBuf out, Exchange exchange, Route route) {
        ClientRequest request = exchange.request();
        boolean upgrade = exchange.asksForUpgrade();
        boolean http10 = route.config().proxy().httpVersion() == HttpVersion.HTTP_1_0;
        HttpFields headers = request.headers();
        HeaderEdits edits = route.requestEdits();
        ByteBufUtil.writeAscii(out, request.method());
        out.writeByte(' ');
        ByteBufUtil.writeAscii(out, request.targetFor(route));
        out.writeBytes(http10 ? HTTP_1_0_CRLF : HTTP_1_1_CRLF);

        String host = edits.valueOf(HttpHeaderNames.HOST, exchange);
        // an empty Host falls back to the default, since HTTP/1.1 does not go without one
        HeaderEdits.writeField(out, HOST, host == null ? exchange.proxyHost() : host);
        edits.write(out, exchange, HttpHeaderNames.HOST);

        List<String> nominated = nominated(headers);
        for (int i = 0; i < headers.size(); i++) {
            AsciiString name = headers.name(i);
            if (!isLeftOutOfRequests(name) && !edits.replaces(name) && !isNominated(nominated, name)) {
                writeAsIs(out, name, headers.value(i));
            }
        }
        RequestBody body = exchange.body();
        if (body.isBuffered() && request.framing() == Framing.CHUNKED) {
            writeLength(out, body.length());
        } else {
            writeFraming(out, request.framing(), headers);
        }
        if (http10 && !edits.replaces(HttpHeaderNames.CONNECTION)) {
            out.writeBytes(CLOSE);
        }
        // a configuration that comes from nginx may set both by hand
        if (upgrade && !edits.replaces(HttpHeaderNames.CONNECTION)) {
            out.writeBytes(UPGRADE);
        }
        if (upgrade && !edits.replaces(HttpHeaderNames.UPGRADE)) {
            writeAsIs(out, UPGRADE_FIELD, headers.get(HttpHeaderNames.UPGRADE));
        }
        out.writeShort(CR_LF);
    }

    /** The head of an upstream's response as the client gets it. */
    static void writeResponse(
            ByteBuf out, Exchange exchange, Route route, ResponseHead response, Framing framing, boolean keepAlive) {
        HttpFields headers = response.headers();
        HeaderEdits edits = route.responseEdits();
        writeStatusLine(out, response.status(), response.reason());
        writeOwn(out, exchange.loop(), edits);
        edits.write(out, exchange, AsciiString.EMPTY_STRING);
        writeSticky(out, exchange);
        List<String> nominated = nominated(headers);
        boolean bodyless = framing == Framing.NONE && response.status() != 204;
        Redirects redirects = route.redirects();
        int seen = 0;
        for (int i = 0; i < headers.size(); i++) {
            AsciiString name = headers.name(i);
            // a response to HEAD and a 304 tell the length of the body that they do not have
            boolean length = bodyless && HttpHeaderNames.CONTENT_LENGTH.contentEqualsIgnoreCase(name);
            int single = ResponseFields.single(name);
            if ((seen & single) != 0) {
                log.debug("{}: a second {} is left out", route.owner(), name);
                continue;
            }
            seen |= single;
            if ((length || !ResponseFields.isLeftOut(name)) && !edits.replaces(name) && !isNominated(nominated, name)) {
                writeAsIs(out, name, redirects == null ? headers.value(i) : redirects.applied(name, headers.value(i)));
            }
        }
        writeFraming(out, framing, headers);
        writeConnection(out, exchange.client(), keepAlive);
        out.writeShort(CR_LF);
    }

    /** The head of an answer that Weir gives itself; {@code length} is that of the body. */
    static void writeLocal(
            ByteBuf out,
            Exchange exchange,
            int status,
            String reason,
            String contentType,
            int length,
            boolean keepAlive) {
        writeStatusLine(out, status, reason);
        Route route = exchange.route();
        writeOwn(out, exchange.loop(), route == null ? null : route.responseEdits());
        if (route != null) {
            route.responseEdits().write(out, exchange, AsciiString.EMPTY_STRING);
        }
        writeChallenges(out, exchange);
        boolean bodyless = status == 204 || status == 304;
        if (!bodyless && (route == null || !route.responseEdits().sets(HttpHeaderNames.CONTENT_TYPE))) {
            HeaderEdits.writeField(out, CONTENT_TYPE, contentType);
        }
        if (!bodyless) {
            writeLength(out, length);
        }
        writeConnection(out, exchange.client(), keepAlive);
        out.writeShort(CR_LF);
    }

    /** What a server wants to know of the client is passed on, even where the rest of its answer is not. */
    private static void writeChallenges(ByteBuf out, Exchange exchange) {
        ResponseHead intercepted = exchange.upstreamResponse();
        Route route = exchange.route();
        if (intercepted == null
                || intercepted.status() != 401
                || route == null
                || route.responseEdits().replaces(HttpHeaderNames.WWW_AUTHENTICATE)) {
            return;
        }
        for (String challenge : intercepted.headers().getAll(HttpHeaderNames.WWW_AUTHENTICATE)) {
            writeAsIs(out, CHALLENGE, challenge);
        }
    }

    /** The head of a 101, which hands the connection over. */
    static void writeSwitch(ByteBuf out, Exchange exchange, Route route, ResponseHead response) {
        HttpFields headers = response.headers();
        writeStatusLine(out, 101, response.reason());
        writeOwn(out, exchange.loop(), route.responseEdits());
        route.responseEdits().write(out, exchange, AsciiString.EMPTY_STRING);
        writeSticky(out, exchange);
        out.writeBytes(UPGRADE);
        for (int i = 0; i < headers.size(); i++) {
            AsciiString name = headers.name(i);
            if ((!ResponseFields.isLeftOut(name) || HttpHeaderNames.UPGRADE.contentEqualsIgnoreCase(name))
                    && !route.responseEdits().replaces(name)) {
                writeAsIs(out, name, headers.value(i));
            }
        }
        out.writeShort(CR_LF);
    }

    private static void writeStatusLine(ByteBuf out, int status, String reason) {
        out.writeBytes(STATUS_LINE);
        out.writeByte('0' + status / 100);
        out.writeByte('0' + status / 10 % 10);
        out.writeByte('0' + status % 10);
        out.writeByte(' ');
        ByteBufUtil.writeAscii(out, reason);
        out.writeShort(CR_LF);
    }

    /** Server and Date are the proxy's own, as in nginx, unless the route sets or removes them. */
    private static void writeOwn(ByteBuf out, Loop loop, @Nullable HeaderEdits edits) {
        if (edits == null || !edits.replaces(HttpHeaderNames.SERVER)) {
            out.writeBytes(SERVER);
        }
        if (edits == null || !edits.replaces(HttpHeaderNames.DATE)) {
            out.writeBytes(DATE);
            out.writeBytes(loop.date());
            out.writeShort(CR_LF);
        }
    }

    private static void writeSticky(ByteBuf out, Exchange exchange) {
        String cookie = exchange.stickyCookie();
        if (cookie != null) {
            HeaderEdits.writeField(out, SET_COOKIE, cookie);
        }
    }

    private static void writeConnection(ByteBuf out, ClientConnection client, boolean keepAlive) {
        if (!keepAlive) {
            out.writeBytes(CLOSE);
        } else if (client.isHttp10()) {
            out.writeBytes(KEEP_ALIVE);
        }
    }

    private static void writeFraming(ByteBuf out, Framing framing, HttpFields headers) {
        if (framing == Framing.LENGTH) {
            out.writeBytes(CONTENT_LENGTH);
            ByteBufUtil.writeAscii(out, headers.get(HttpHeaderNames.CONTENT_LENGTH));
            out.writeShort(CR_LF);
        } else if (framing == Framing.CHUNKED) {
            out.writeBytes(CHUNKED);
        }
    }

    private static void writeLength(ByteBuf out, long length) {
        out.writeBytes(CONTENT_LENGTH);
        ByteBufUtil.writeAscii(out, Long.toString(length));
        out.writeShort(CR_LF);
    }

    private static void writeAsIs(ByteBuf out, CharSequence name, @Nullable CharSequence value) {
        if (name instanceof AsciiString ascii) {
            out.writeBytes(ascii.array(), ascii.arrayOffset(), ascii.length());
        } else {
            ByteBufUtil.writeAscii(out, name);
        }
        out.writeShort(COLON_SP);
        if (value != null) {
            ByteBufUtil.writeAscii(out, value);
        }
        out.writeShort(CR_LF);
    }

    /** Fields that end at this hop or are written anew. */
    private static boolean isLeftOutOfRequests(CharSequence name) {
        return switch (name.length()) {
                    case 2 -> HttpHeaderNames.TE.contentEqualsIgnoreCase(name);
                    case 4 -> HttpHeaderNames.HOST.contentEqualsIgnoreCase(name);
                    case 6 -> HttpHeaderNames.EXPECT.contentEqualsIgnoreCase(name);
                    case 7 -> HttpHeaderNames.UPGRADE.contentEqualsIgnoreCase(name);
                    case 10 ->
                        HttpHeaderNames.CONNECTION.contentEqualsIgnoreCase(name)
                                || KEEP_ALIVE_FIELD.contentEqualsIgnoreCase(name);
                    case 14 -> HttpHeaderNames.CONTENT_LENGTH.contentEqualsIgnoreCase(name);
                    case 16 -> PROXY_CONNECTION.contentEqualsIgnoreCase(name);
                    case 17 -> HttpHeaderNames.TRANSFER_ENCODING.contentEqualsIgnoreCase(name);
                    default -> false;
                }
                // servers behind CGI and its heirs cannot tell X_Real_IP from X-Real-IP; nginx drops such names too
                || AsciiString.indexOf(name, '_', 0) >= 0;
    }

    /**
     * Names that the Connection field declares to end at this hop (RFC 9110 section 7.6.1), lower case.
     *
     * <p>Differs from nginx: it passes such fields on.
     */
    private static List<String> nominated(HttpFields headers) {
        if (!headers.contains(HttpHeaderNames.CONNECTION)) {
            return List.of();
        }
        return headers.getAll(HttpHeaderNames.CONNECTION).stream()
                .flatMap(value -> List.of(value.split(",")).stream())
                .map(name -> name.strip().toLowerCase(Locale.ROOT))
                // these two only say what becomes of the connection
                .filter(name -> !name.isEmpty() && !name.equals("close") && !name.equals("keep-alive"))
                .toList();
    }

    private static boolean isNominated(List<String> nominated, CharSequence name) {
        for (int i = 0; i < nominated.size(); i++) {
            if (AsciiString.contentEqualsIgnoreCase(nominated.get(i), name)) {
                return true;
            }
        }
        return false;
    }
}
