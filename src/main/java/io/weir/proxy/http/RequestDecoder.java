package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;

/**
 * Netty's request decoder with every check it has turned on, and a few more, which hands out one request at a time.
 *
 * <p>After the end of a request it stops until {@link #resume}: what a client pipelines waits as undecoded bytes, and what
 * follows a request to upgrade is never taken for HTTP.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9112.html#section-3">RFC 9112 section 3</a>
 */
final class RequestDecoder extends HttpRequestDecoder {

    /** nginx's large_client_header_buffers, 4 of 8k: one line must fit one of them, and all lines all of them. */
    static final int MAX_LINE = 8 * 1024;

    static final int MAX_HEADERS = 32 * 1024;

    private boolean paused;
    private boolean decoding;
    private long received;

    RequestDecoder() {
        super(new HttpDecoderConfig()
                .setMaxInitialLineLength(MAX_LINE)
                .setMaxHeaderSize(MAX_HEADERS)
                // content is handed on as it was read; the limit only splits what one read brought
                .setMaxChunkSize(1024 * 1024)
                .setStrictLineParsing(true)
                .setUseRfc9112TransferEncoding(true)
                .setAllowDuplicateContentLengths(false)
                .setHeadersFactory(DefaultHttpHeadersFactory.headersFactory().withValidation(true)));
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf buffer, List<Object> out) throws Exception {
        if (paused) {
            return;
        }
        super.decode(ctx, buffer, out);
        if (!out.isEmpty() && out.get(out.size() - 1) instanceof LastHttpContent) {
            paused = true;
        }
    }

    /** Bytes decoded since the connection was opened. */
    long decoded() {
        return received - waiting();
    }

    /** Whether it stands behind the end of a request. */
    boolean isPaused() {
        return paused;
    }

    /** Bytes that wait to be decoded. */
    int waiting() {
        return actualReadableBytes();
    }

    /** Goes on with the next request, if its bytes are here already. */
    void resume(ChannelHandlerContext decoder) throws Exception {
        paused = false;
        // while decoding, the loop that called goes on by itself; a client may pipeline more than a stack would bear
        if (!decoding && waiting() > 0) {
            channelRead(decoder, Unpooled.EMPTY_BUFFER);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        if (message instanceof ByteBuf bytes) {
            received += bytes.readableBytes();
        }
        decoding = true;
        try {
            super.channelRead(ctx, message);
        } finally {
            decoding = false;
        }
    }

    /**
     * Netty reads eight bytes behind the head of an early draft of WebSocket, where HTTP says that there is no body. An
     * upstream would take them for the beginning of another request.
     */
    @Override
    protected boolean isContentAlwaysEmpty(HttpMessage message) {
        return message.headers().contains(HttpHeaderNames.SEC_WEBSOCKET_KEY1)
                && !message.headers().contains(HttpHeaderNames.CONTENT_LENGTH)
                && !message.headers().contains(HttpHeaderNames.TRANSFER_ENCODING);
    }

    /**
     * One space between the parts of the request line and none before, where Netty takes any number of blanks, tabs and
     * bare CRs: RFC 9112 section 3 allows to refuse what it calls lenient parsing.
     */
    @Override
    protected String splitFirstWordInitialLine(byte[] line, int start, int length) {
        if (start != 0) {
            throw new IllegalArgumentException("space before the request line");
        }
        return super.splitFirstWordInitialLine(line, start, length);
    }

    @Override
    protected String splitSecondWordInitialLine(byte[] line, int start, int length) {
        requireSingleSpace(line, start);
        for (int i = start; i < start + length; i++) {
            // a target with controls or DEL is read differently by different servers
            if (line[i] >= 0 && line[i] <= ' ' || line[i] == 127) {
                throw new IllegalArgumentException("control character in the request target");
            }
        }
        return super.splitSecondWordInitialLine(line, start, length);
    }

    @Override
    protected String splitThirdWordInitialLine(byte[] line, int start, int length) {
        requireSingleSpace(line, start);
        if (line[start] != 'H' || line[start + 1] != 'T') {
            // the name of the protocol is case-sensitive (RFC 9112 section 2.3); Netty takes it in any case
            throw new IllegalArgumentException("the request line does not end in a version of HTTP");
        }
        return super.splitThirdWordInitialLine(line, start, length);
    }

    private static void requireSingleSpace(byte[] line, int start) {
        if (start < 2 || line[start - 1] != ' ' || line[start - 2] >= 0 && line[start - 2] <= ' ') {
            throw new IllegalArgumentException("the parts of the request line are not separated by one space");
        }
    }
}
