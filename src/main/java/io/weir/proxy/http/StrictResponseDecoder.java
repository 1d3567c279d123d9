package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;

/** Weir's own decoder of responses. */
final class StrictResponseDecoder extends MessageDecoder implements ResponseDecoder {

    private boolean bodyless;
    private long received;

    StrictResponseDecoder(HeadParser parser) {
        super(parser);
    }

    @Override
    public void expect(boolean head) {
        bodyless = head;
        expectHead();
    }

    @Override
    boolean decodeHead(ChannelHandlerContext ctx, HeadParser parser, ByteBuf in) throws HeadParser.Malformed {
        ResponseHead head = parser.response(in, MAX_HEAD, MAX_FIELDS);
        if (head == null) {
            return false;
        }
        int status = head.status();
        List<String> codings = head.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
        List<String> lengths = head.headers().getAll(HttpHeaderNames.CONTENT_LENGTH);
        boolean chunked = !codings.isEmpty() && isChunked(codings, head.version(), !lengths.isEmpty());
        if (!codings.isEmpty() && !chunked) {
            throw HeadParser.Malformed.because("a transfer coding that is not known");
        }
        long length = lengths.isEmpty() ? -1 : length(lengths);
        boolean interim = status < 200;
        // section 6.3: what the request and the status say counts for more than the fields
        if (bodyless || interim || status == 204 || status == 304) {
            expectLength(0);
        } else if (chunked) {
            expectChunks();
        } else if (length >= 0) {
            expectLength(length);
        } else {
            expectBytesUntilClose();
        }
        boolean ends = isEnded();
        if (interim && status != 101) {
            // the response proper is still to come
            expectHead();
        }
        ctx.fireChannelRead(head);
        if (ends) {
            ctx.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
        }
        return true;
    }

    @Override
    void headAbandoned(ByteBuf in) {
        // nobody logs it
    }

    @Override
    void headFailed(ChannelHandlerContext ctx, HeadParser.Malformed cause) {
        ctx.fireChannelRead(ResponseHead.INVALID);
    }

    @Override
    void countReceived(int bytes) {
        received += bytes;
    }

    @Override
    public int surplus() {
        return undecoded().readableBytes();
    }

    @Override
    public long takeReceived() {
        long bytes = received;
        received = 0;
        return bytes;
    }
}
