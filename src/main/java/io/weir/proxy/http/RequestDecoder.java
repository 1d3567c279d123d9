package io.weir.proxy.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;

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

    /** nginx's large_client_header_buffers, 4 of 8k: the first line must fit one of them, and all lines all of them. */
    int MAX_LINE = 8 * 1024;

    int MAX_HEAD = 32 * 1024;

    /** Bytes decoded since the connection was opened. */
    long decoded();

    /** Whether it stands behind the end of a request. */
    boolean isPaused();

    /** Bytes that wait to be decoded. */
    int waiting();

    /** Goes on with the next request, if its bytes are here already. */
    void resume(ChannelHandlerContext decoder) throws Exception;
}
