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
 * Netty's decoder of responses with every check it has turned on, and a few more: what {@link StrictResponseDecoder} is
 * measured against.
 */
final class NettyResponseDecoder extends HttpResponseDecoder implements ResponseDecoder {

    private boolean head;
    private boolean interim;
    private boolean ended;
    private long received;

    NettyResponseDecoder() {
        super(new HttpDecoderConfig()
                .setMaxInitialLineLength(8 * 1024)
                .setMaxHeaderSize(MAX_HEAD)
                .setMaxChunkSize(1024 * 1024)
                .setStrictLineParsing(true)
                .setUseRfc9112TransferEncoding(true)
                .setAllowDuplicateContentLengths(false)
                .setHeadersFactory(DefaultHttpHeadersFactory.headersFactory().withValidation(true)));
    }

    @Override
    public void expect(boolean head) {
        this.head = head;
        ended = false;
    }

    @Override
    public int surplus() {
        return actualReadableBytes();
    }

    @Override
    public long takeReceived() {
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
        for (int i = 0; i < out.size(); i++) {
            if (out.get(i) instanceof HttpResponse response) {
                out.set(i, NettyHeads.of(response));
            }
        }
        if (!interim && !out.isEmpty() && out.get(out.size() - 1) instanceof LastHttpContent) {
            ended = true;
        }
    }

    /** Where Netty hands on what was cut short as a failed message, it is for the connection to say that it has closed. */
    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf buffer, List<Object> out) throws Exception {
        super.decodeLast(ctx, buffer, out);
        out.removeIf(message -> message instanceof HttpResponse response
                && response.decoderResult().isFailure());
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
