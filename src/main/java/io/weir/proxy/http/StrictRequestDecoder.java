package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Weir's own decoder of requests. */
final class StrictRequestDecoder extends MessageDecoder implements RequestDecoder {

    private long received;
    private @Nullable String brokenLine;

    StrictRequestDecoder(HeadParser parser) {
        super(parser);
    }

    @Override
    boolean decodeHead(ChannelHandlerContext ctx, HeadParser parser, ByteBuf in) throws HeadParser.Malformed {
        RequestHead head = parser.request(in, MAX_LINE, MAX_HEAD);
        if (head == null) {
            return false;
        }
        List<String> codings = head.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
        List<String> lengths = head.headers().getAll(HttpHeaderNames.CONTENT_LENGTH);
        if (!codings.isEmpty()) {
            if (isChunked(codings, head.version(), !lengths.isEmpty())) {
                expectChunks();
            } else {
                stop();
            }
        } else {
            expectLength(lengths.isEmpty() ? 0 : length(lengths));
        }
        boolean bodyless = isEnded();
        ctx.fireChannelRead(head);
        if (bodyless) {
            ctx.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
        }
        return true;
    }

    @Override
    void headFailed(ChannelHandlerContext ctx, HeadParser.Malformed cause) {
        ctx.fireChannelRead(RequestHead.refused(cause.status()));
    }

    @Override
    void headAbandoned(ByteBuf in) {
        brokenLine = RequestDecoder.line(in, in.readerIndex());
    }

    @Override
    public @Nullable String brokenLine() {
        return awaitsHead() ? RequestDecoder.line(undecoded(), undecoded().readerIndex()) : brokenLine;
    }

    @Override
    void countReceived(int bytes) {
        received += bytes;
    }

    @Override
    public long decoded() {
        return received - waiting();
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
