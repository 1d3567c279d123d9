package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.AsciiString;
import java.util.List;

/**
 * Netty's response decoder with every check it has turned on, and a few more; told by the request which responses have no
 * body.
 *
 * <p>After the end of a response it stops until {@link #expect}: what a server sends without being asked is never decoded,
 * let alone taken for the answer to the next request.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9112.html#section-4">RFC 9112 section 4</a>
 */
final class ResponseDecoder extends HttpResponseDecoder {

    /** Where nginx has proxy_buffer_size, 4k or 8k, and many have to raise it. */
    static final int MAX_HEADERS = 32 * 1024;

    private boolean head;
    private boolean interim;
    private boolean ended;
    private long received;

    ResponseDecoder() {
        super(new HttpDecoderConfig()
                .setMaxInitialLineLength(8 * 1024)
                .setMaxHeaderSize(MAX_HEADERS)
                .setMaxChunkSize(1024 * 1024)
                .setStrictLineParsing(true)
                .setUseRfc9112TransferEncoding(true)
                .setAllowDuplicateContentLengths(false)
                .setHeadersFactory(DefaultHttpHeadersFactory.headersFactory().withValidation(true)));
    }

    /**
     * A request is about to be sent.
     *
     * @param head whether it is HEAD, whose response has a length but no body
     */
    void expect(boolean head) {
        this.head = head;
        ended = false;
    }

    /** Bytes that nobody asked for: they came after the end of the last response. */
    int surplus() {
        return actualReadableBytes();
    }

    /** Bytes read since this was asked last. */
    long takeReceived() {
        long bytes = received;
        received = 0;
        return bytes;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        if (message instanceof ByteBuf bytes) {
            received += bytes.readableBytes();
        }
        super.channelRead(ctx, message);
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf buffer, List<Object> out) throws Exception {
        if (ended) {
            return;
        }
        super.decode(ctx, buffer, out);
        if (!interim && !out.isEmpty() && out.get(out.size() - 1) instanceof LastHttpContent) {
            ended = true;
        }
    }

    /** Three digits after HTTP/1.x, where Netty takes any number and any protocol. */
    @Override
    protected HttpMessage createMessage(String[] initialLine) {
        String code = initialLine[1];
        if (!initialLine[0].startsWith("HTTP/1.") || code.length() != 3 || code.charAt(0) < '1') {
            throw new IllegalArgumentException("not a status line of HTTP/1");
        }
        return super.createMessage(initialLine);
    }

    /** No space before the colon, and no line without one, where Netty takes the first word for a name. */
    @Override
    protected AsciiString splitHeaderName(byte[] line, int start, int length) {
        if (line[start + length] != ':') {
            throw new IllegalArgumentException("a field name is not followed by a colon");
        }
        return super.splitHeaderName(line, start, length);
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpMessage message) {
        int status = ((HttpResponse) message).status().code();
        // 101 is the last that is said in HTTP
        interim = status < 200 && status != 101;
        return head || status < 200 || super.isContentAlwaysEmpty(message);
    }
}
