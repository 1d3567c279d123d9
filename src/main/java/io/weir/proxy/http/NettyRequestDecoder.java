package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.weir.config.HeaderBuffers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Netty's decoder of requests with every check it has turned on, and a few more: what {@link StrictRequestDecoder} is
 * measured against. The limits are those of when the connection began, and the number of fields has none.
 */
final class NettyRequestDecoder extends HttpRequestDecoder implements RequestDecoder {

    private final int maxLine;
    private boolean paused;
    private boolean decoding;
    private long received;
    private boolean lineRead;
    private @Nullable String brokenLine;

    NettyRequestDecoder(HeaderBuffers limits) {
        super(new HttpDecoderConfig()
                .setMaxInitialLineLength(limits.maxLine())
                .setMaxHeaderSize(limits.maxHead())
                // content is handed on as it was read; the limit only splits what one read brought
                .setMaxChunkSize(1024 * 1024)
                .setStrictLineParsing(true)
                .setUseRfc9112TransferEncoding(true)
                .setAllowDuplicateContentLengths(false)
                .setHeadersFactory(DefaultHttpHeadersFactory.headersFactory().withValidation(true)));
        this.maxLine = limits.maxLine();
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf buffer, List<Object> out) throws Exception {
        if (paused) {
            return;
        }
        int start = buffer.readerIndex();
        super.decode(ctx, buffer, out);
        if (!lineRead && !out.isEmpty()) {
            // the bytes are still there, though they count as read
            brokenLine = RequestDecoder.line(buffer, start, maxLine);
        }
        for (int i = 0; i < out.size(); i++) {
            if (out.get(i) instanceof HttpRequest request) {
                out.set(i, NettyHeads.of(request));
            }
        }
        if (!out.isEmpty() && out.get(out.size() - 1) instanceof LastHttpContent) {
            paused = true;
        }
    }

    @Override
    public long decoded() {
        return received - waiting();
    }

    @Override
    public long announced() {
        return 0;
    }

    @Override
    public boolean isPaused() {
        return paused;
    }

    @Override
    public int waiting() {
        return actualReadableBytes();
    }

    @Override
    public void resume(ChannelHandlerContext decoder) throws Exception {
        paused = false;
        lineRead = false;
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

    @Override
    public @Nullable String brokenLine() {
        return brokenLine == null && !lineRead && waiting() > 0
                ? RequestDecoder.line(internalBuffer(), internalBuffer().readerIndex(), maxLine)
                : brokenLine;
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        // before the bytes of half a line are given up
        brokenLine = brokenLine();
        super.channelInactive(ctx);
    }

    @Override
    protected HttpMessage createMessage(String[] initialLine) throws Exception {
        HttpMessage message = super.createMessage(initialLine);
        lineRead = true;
        return message;
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
