package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpVersion;

/** Netty's response decoder with every check it has turned on; told which responses have no body by the request. */
final class ResponseDecoder extends HttpResponseDecoder {

    /** Where nginx has proxy_buffer_size, 4k or 8k, and many have to raise it. */
    static final int MAX_HEADERS = 32 * 1024;

    private boolean head;
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

    /** Whether the request that is answered next was HEAD, whose response has a length but no body. */
    void expectHead(boolean head) {
        this.head = head;
    }

    /** Bytes that came after the last complete message. */
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
    protected boolean isContentAlwaysEmpty(HttpMessage message) {
        int status = ((HttpResponse) message).status().code();
        return head || status < 200 || super.isContentAlwaysEmpty(message);
    }

    /** Only an answer to a request that asked for it leaves HTTP, and the exchange checks that before it goes on. */
    @Override
    protected boolean isSwitchingToNonHttp1Protocol(HttpResponse response) {
        return response.status().code() == 101
                && response.protocolVersion().equals(HttpVersion.HTTP_1_1)
                && response.headers().contains(HttpHeaderNames.UPGRADE);
    }
}
