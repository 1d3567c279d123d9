package io.weir.proxy.http;

import io.netty.channel.ChannelInboundHandler;

/**
 * Takes a server's bytes apart: hands on a {@link ResponseHead}, the pieces of its body as they come and a {@link io.netty.handler.codec.http.LastHttpContent}; told by the request which responses have no body.
 *
 * <p>After the end of a response it stops until {@link #expect}: what a server sends without being asked is never decoded,
 * let alone taken for the answer to the next request. A body that is cut short has no end. What is not HTTP as
 * RFC 9112 has it is handed on as an invalid head or a piece with a failed decoder result, and nothing after it. Confined to the loop's thread.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9112.html#section-4">RFC 9112 section 4</a>
 */
interface ResponseDecoder extends ChannelInboundHandler {

    /** Where nginx has proxy_buffer_size, 4k or 8k, and many have to raise it. */
    int MAX_HEAD = 32 * 1024;

    /**
     * A request is about to be sent.
     *
     * @param head whether it is HEAD, whose response has a length but no body
     */
    void expect(boolean head);

    /** Bytes that nobody asked for: they came after the end of the last response. */
    int surplus();

    /** Bytes read since this was asked last. */
    long takeReceived();
}
