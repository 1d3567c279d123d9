package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Takes a client's bytes apart: hands on a {@link RequestHead}, the pieces of its body as they come and a {@link io.netty.handler.codec.http.LastHttpContent}, one request at a time.
 *
 * <p>After the end of a request it stops until {@link #resume}: what a client pipelines waits as undecoded bytes, and what
 * follows a request to upgrade is never taken for HTTP; whoever is next in the pipeline gets it when the decoder is removed.
 * What is not HTTP as RFC 9112 has it is handed on as a head to refuse or a piece with a failed decoder result, and nothing
 * after it. Confined to
 * the loop's thread.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9112.html#section-3">RFC 9112 section 3</a>
 */
interface RequestDecoder extends ChannelInboundHandler {

    /** What was read of a request line that never was one; null if it was, or nothing has come. Only a log asks for it. */
    @Nullable
    String brokenLine();

    /** Bytes decoded since the connection was opened; of a head that is not complete or is refused, those of whole lines. */
    long decoded();

    /**
     * Bytes of a body that the line of a chunk has announced and that have not come. 0 where that is not known, as with
     * Netty's decoder.
     */
    long announced();

    /** Whether it stands behind the end of a request. */
    boolean isPaused();

    /** Bytes that wait to be decoded. */
    int waiting();

    /** Goes on with the next request, if its bytes are here already. */
    void resume(ChannelHandlerContext decoder) throws Exception;

    /** At most so many bytes of the line that begins at {@code start}, behind line ends that may precede a request. */
    static String line(ByteBuf buffer, int start, int most) {
        int from = start;
        while (from < buffer.writerIndex() && isLineEnd(buffer.getByte(from))) {
            from++;
        }
        int to = from;
        while (to < buffer.writerIndex() && to - from < most && !isLineEnd(buffer.getByte(to))) {
            to++;
        }
        return buffer.toString(from, to - from, StandardCharsets.ISO_8859_1);
    }

    private static boolean isLineEnd(byte b) {
        return b == '\r' || b == '\n';
    }
}
