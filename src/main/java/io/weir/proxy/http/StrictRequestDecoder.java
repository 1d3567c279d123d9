package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.LastHttpContent;
import io.weir.config.ClientSettings;
import io.weir.config.HeaderBuffers;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Weir's own decoder of requests. */
final class StrictRequestDecoder extends MessageDecoder implements RequestDecoder {

    private final Supplier<ClientSettings> limits;
    private long received;
    private int headLines;
    private @Nullable String brokenLine;

    StrictRequestDecoder(HeadParser parser, Supplier<ClientSettings> limits) {
        super(parser);
        this.limits = limits;
    }

    @Override
    boolean decodeHead(ChannelHandlerContext ctx, HeadParser parser, ByteBuf in) throws HeadParser.Malformed {
        ClientSettings client = limits.get();
        HeaderBuffers buffers = client.largeHeaderBuffers();
        RequestHead head;
        try {
            head = parser.request(in, buffers.maxLine(), buffers.maxHead(), client.maxHeaders());
        } finally {
            headLines = parser.completeLines();
        }
        if (head == null) {
            return false;
        }
        headLines = 0;
        try {
            frame(head);
        } catch (HeadParser.Malformed e) {
            stop();
            ctx.fireChannelRead(head.refusedWith(e.status()));
            return true;
        }
        boolean bodyless = isEnded();
        ctx.fireChannelRead(head);
        if (bodyless) {
            ctx.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
        }
        return true;
    }

    private void frame(RequestHead head) throws HeadParser.Malformed {
        List<String> codings = head.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
        List<String> lengths = head.headers().getAll(HttpHeaderNames.CONTENT_LENGTH);
        if (codings.isEmpty()) {
            expectLength(lengths.isEmpty() ? 0 : length(lengths));
        } else if (isChunked(codings, head.version(), !lengths.isEmpty())) {
            expectChunks();
        } else {
            stop();
        }
    }

    @Override
    void headFailed(ChannelHandlerContext ctx, HeadParser.Malformed cause) {
        ctx.fireChannelRead(RequestHead.refused(cause.status()));
    }

    @Override
    void headAbandoned(ByteBuf in) {
        brokenLine = line(in);
    }

    @Override
    public @Nullable String brokenLine() {
        return awaitsHead() ? line(undecoded()) : brokenLine;
    }

    private String line(ByteBuf in) {
        return RequestDecoder.line(
                in, in.readerIndex(), limits.get().largeHeaderBuffers().maxLine());
    }

    @Override
    void countReceived(int bytes) {
        received += bytes;
    }

    @Override
    public long decoded() {
        return received - waiting() + headLines;
    }

    @Override
    public long announced() {
        return chunkRemaining();
    }

    @Override
    public boolean isPaused() {
        return isEnded();
    }

    @Override
    public int waiting() {
        return undecoded().readableBytes();
    }

    @Override
    public void resume(ChannelHandlerContext decoder) {
        expectHead();
        decode(decoder);
    }
}
