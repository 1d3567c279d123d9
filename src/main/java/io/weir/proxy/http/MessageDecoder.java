package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;

/**
 * The framing that requests and responses have in common: hands on a head, the pieces of the body as they were read, and an
 * end. Bytes wait where a head or the line of a chunk is not complete, and behind the end of a message. Confined to the
 * loop's thread; its handlers may make it go on, close the channel or remove it while it decodes.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9112.html#section-6">RFC 9112 sections 6 and 7</a>
 */
abstract class MessageDecoder extends ChannelInboundHandlerAdapter {

    /** Of the line before a chunk, extensions included, and of all trailers. */
    private static final int MAX_CHUNK_LINE = 4 * 1024;

    private static final int MAX_TRAILERS = 8 * 1024;

    /** Of a response, and of trailers: as many as nginx lets a request have. */
    static final int MAX_FIELDS = 1000;

    private enum State {
        HEAD,
        LENGTH,
        CHUNK_LINE,
        CHUNK,
        CHUNK_END,
        TRAILERS,
        UNTIL_CLOSE,
        /** Behind the end of a message. */
        ENDED,
        /** What comes now means nothing. */
        BROKEN
    }

    private final HeadParser parser;
    private State state = State.HEAD;
    private ByteBuf waiting = Unpooled.EMPTY_BUFFER;
    private long remaining;
    private boolean decoding;
    private boolean removed;

    MessageDecoder(HeadParser parser) {
        this.parser = parser;
    }

    /**
     * Reads a head from {@code in}, hands it on and says how its body is framed, all by itself.
     *
     * @return whether there was one
     */
    abstract boolean decodeHead(ChannelHandlerContext ctx, HeadParser parser, ByteBuf in) throws HeadParser.Malformed;

    /** These bytes are all that there is of a head, which will never be one; only a log asks for them. */
    abstract void headAbandoned(ByteBuf in);

    /** Hands on that what came is no head. */
    abstract void headFailed(ChannelHandlerContext ctx, HeadParser.Malformed cause);

    /** So many bytes were read. */
    abstract void countReceived(int bytes);

    // ---- for the kinds of messages ----

    /** The body has so many bytes. */
    final void expectLength(long length) {
        remaining = length;
        state = length == 0 ? State.ENDED : State.LENGTH;
    }

    final void expectChunks() {
        state = State.CHUNK_LINE;
    }

    final void expectBytesUntilClose() {
        state = State.UNTIL_CLOSE;
    }

    final void expectHead() {
        state = State.HEAD;
    }

    /** Takes no more from this connection. */
    final void stop() {
        state = State.BROKEN;
    }

    final boolean isEnded() {
        return state == State.ENDED;
    }

    /** Bytes of the chunk that is being read that are still to come. */
    final long chunkRemaining() {
        return state == State.CHUNK ? remaining : 0;
    }

    /** Whether half a head has come. */
    final boolean awaitsHead() {
        return state == State.HEAD && waiting.isReadable();
    }

    /** What waits; owned by the decoder. */
    final ByteBuf undecoded() {
        return waiting;
    }

    /**
     * How the body of a message with this field ends.
     *
     * @param codings values of Transfer-Encoding
     * @return whether in chunks; false if in a way that nobody here knows
     * @throws HeadParser.Malformed if that cannot be told (RFC 9112 section 6.3, rules 3 and 4)
     */
    static boolean isChunked(List<String> codings, int version, boolean hasLength) throws HeadParser.Malformed {
        if (hasLength || version < RequestHead.HTTP_1_1 || codings.size() > 1) {
            throw HeadParser.Malformed.because("Transfer-Encoding beside something that contradicts it");
        }
        String coding = codings.get(0);
        if (coding.equalsIgnoreCase("chunked")) {
            return true;
        }
        String last = coding.substring(coding.lastIndexOf(',') + 1).strip();
        if (!last.equalsIgnoreCase("chunked") || coding.regionMatches(true, 0, "chunked", 0, "chunked".length())) {
            throw HeadParser.Malformed.because("chunked is not the last coding, or not the only time");
        }
        return false;
    }

    /** The number in the only one of these values. */
    static long length(List<String> values) throws HeadParser.Malformed {
        String value = values.get(0);
        // 18 digits never overflow
        if (values.size() > 1 || value.isEmpty() || value.length() > 18) {
            throw HeadParser.Malformed.because("Content-Length is not one number");
        }
        long length = 0;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < '0' || c > '9') {
                throw HeadParser.Malformed.because("Content-Length is not a number");
            }
            length = length * 10 + c - '0';
        }
        return length;
    }

    // ---- decoding ----

    @Override
    public final void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!(message instanceof ByteBuf in)) {
            ctx.fireChannelRead(message);
            return;
        }
        countReceived(in.readableBytes());
        if (waiting.isReadable()) {
            waiting = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(ctx.alloc(), waiting, in);
        } else {
            waiting.release();
            waiting = in;
        }
        decode(ctx);
    }

    /** Goes on with what waits, unless that is being done already. */
    final void decode(ChannelHandlerContext ctx) {
        if (decoding) {
            return;
        }
        decoding = true;
        try {
            while (!removed && waiting.isReadable() && step(ctx)) {
                // a step is all there is to it
            }
        } catch (HeadParser.Malformed e) {
            state = State.BROKEN;
            fireBroken(ctx, e);
        } finally {
            decoding = false;
        }
        if (removed) {
            handOver(ctx);
        } else if (state == State.BROKEN || !waiting.isReadable()) {
            drop();
        }
    }

    private boolean step(ChannelHandlerContext ctx) throws HeadParser.Malformed {
        return switch (state) {
            case HEAD -> readHead(ctx);
            case LENGTH, CHUNK -> readBody(ctx);
            case UNTIL_CLOSE -> {
                ctx.fireChannelRead(new DefaultHttpContent(take(waiting.readableBytes())));
                yield true;
            }
            case CHUNK_LINE -> readChunkLine();
            case CHUNK_END -> readChunkEnd();
            case TRAILERS -> readTrailers(ctx);
            case ENDED, BROKEN -> false;
        };
    }

    private boolean readHead(ChannelHandlerContext ctx) {
        try {
            return decodeHead(ctx, parser, waiting);
        } catch (HeadParser.Malformed e) {
            headAbandoned(waiting);
            state = State.BROKEN;
            headFailed(ctx, e);
            return false;
        }
    }

    private boolean readBody(ChannelHandlerContext ctx) {
        int length = (int) Math.min(waiting.readableBytes(), remaining);
        remaining -= length;
        HttpContent piece = new DefaultHttpContent(take(length));
        if (remaining > 0) {
            ctx.fireChannelRead(piece);
        } else if (state == State.CHUNK) {
            state = State.CHUNK_END;
            ctx.fireChannelRead(piece);
        } else {
            state = State.ENDED;
            ctx.fireChannelRead(piece);
            ctx.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
        }
        return true;
    }

    /** So many of the bytes that wait; without a slice where these are all. */
    private ByteBuf take(int length) {
        if (length < waiting.readableBytes()) {
            return waiting.readRetainedSlice(length);
        }
        ByteBuf all = waiting;
        waiting = Unpooled.EMPTY_BUFFER;
        return all;
    }

    /** The size of a chunk and its extensions, which say nothing to anybody here. */
    private boolean readChunkLine() throws HeadParser.Malformed {
        int start = waiting.readerIndex();
        int feed = waiting.indexOf(start, Math.min(waiting.writerIndex(), start + MAX_CHUNK_LINE), (byte) '\n');
        if (feed < 0) {
            if (waiting.readableBytes() >= MAX_CHUNK_LINE) {
                throw HeadParser.Malformed.because("the line of a chunk is too long");
            }
            return false;
        }
        int end = feed - 1;
        int p = start;
        long size = 0;
        for (int digit = -1; p < end && (digit = Character.digit(waiting.getByte(p), 16)) >= 0; p++) {
            if (size >>> 59 != 0) {
                throw HeadParser.Malformed.because("a chunk is too large");
            }
            size = size << 4 | digit;
        }
        if (p == start || end < start || waiting.getByte(end) != '\r') {
            throw HeadParser.Malformed.because("the size of a chunk is not a line with a number");
        }
        checkExtensions(p, end);
        waiting.readerIndex(feed + 1);
        remaining = size;
        state = size == 0 ? State.TRAILERS : State.CHUNK;
        return true;
    }

    /** Section 7.1.1: {@code *( BWS ";" BWS name [ BWS "=" BWS value ] )}, where a value is a word or stands in quotes. */
    private void checkExtensions(int from, int to) throws HeadParser.Malformed {
        int p = from;
        while (p < to) {
            p = blanks(p, to);
            if (p == to || waiting.getByte(p) != ';') {
                throw HeadParser.Malformed.because("the size of a chunk is followed by something else");
            }
            p = word(blanks(p + 1, to), to);
            int equals = blanks(p, to);
            if (equals < to && waiting.getByte(equals) == '=') {
                p = blanks(equals + 1, to);
                p = p < to && waiting.getByte(p) == '"' ? quoted(p, to) : word(p, to);
            }
        }
    }

    private int blanks(int from, int to) {
        int p = from;
        while (p < to && (waiting.getByte(p) == ' ' || waiting.getByte(p) == '\t')) {
            p++;
        }
        return p;
    }

    private int word(int from, int to) throws HeadParser.Malformed {
        int p = from;
        while (p < to && HeadParser.isTokenChar(waiting.getByte(p))) {
            p++;
        }
        if (p == from) {
            throw HeadParser.Malformed.because("a word is missing in the extension of a chunk");
        }
        return p;
    }

    private int quoted(int from, int to) throws HeadParser.Malformed {
        for (int p = from + 1; p < to && HeadParser.isText(waiting.getByte(p)); p++) {
            if (waiting.getByte(p) == '"') {
                return p + 1;
            }
            if (waiting.getByte(p) == '\\' && p + 1 < to && HeadParser.isText(waiting.getByte(p + 1))) {
                p++;
            }
        }
        throw HeadParser.Malformed.because("a quoted value in the extension of a chunk does not end");
    }

    private boolean readChunkEnd() throws HeadParser.Malformed {
        int start = waiting.readerIndex();
        boolean both = waiting.readableBytes() > 1;
        if (waiting.getByte(start) != '\r' || both && waiting.getByte(start + 1) != '\n') {
            throw HeadParser.Malformed.because("a chunk does not end where it says");
        }
        if (both) {
            waiting.skipBytes(2);
            state = State.CHUNK_LINE;
        }
        return both;
    }

    /** They end at this hop: nobody is told of them. */
    private boolean readTrailers(ChannelHandlerContext ctx) throws HeadParser.Malformed {
        if (!parser.trailers(waiting, MAX_TRAILERS, MAX_FIELDS)) {
            return false;
        }
        state = State.ENDED;
        ctx.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
        return true;
    }

    /** A body that is not as it should be. */
    private static void fireBroken(ChannelHandlerContext ctx, HeadParser.Malformed cause) {
        HttpContent broken = new DefaultHttpContent(Unpooled.EMPTY_BUFFER);
        broken.setDecoderResult(DecoderResult.failure(cause));
        ctx.fireChannelRead(broken);
    }

    // ---- the end ----

    private void drop() {
        waiting.release();
        waiting = Unpooled.EMPTY_BUFFER;
    }

    @Override
    public final void channelInactive(ChannelHandlerContext ctx) {
        boolean ends = state == State.UNTIL_CLOSE;
        if (awaitsHead()) {
            headAbandoned(waiting);
        }
        state = State.BROKEN;
        if (ends) {
            ctx.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
        }
        ctx.fireChannelInactive();
        if (!decoding) {
            drop();
        }
    }

    /** What was not decoded is for the next handler: bytes of another protocol. */
    @Override
    public final void handlerRemoved(ChannelHandlerContext ctx) {
        removed = true;
        if (!decoding) {
            handOver(ctx);
        }
    }

    private void handOver(ChannelHandlerContext ctx) {
        ByteBuf rest = waiting;
        waiting = Unpooled.EMPTY_BUFFER;
        if (rest.isReadable() && state != State.BROKEN) {
            ctx.fireChannelRead(rest);
            ctx.fireChannelReadComplete();
        } else {
            rest.release();
        }
    }
}
