package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.weir.proxy.http.HeadWriter.Framing;
import org.jspecify.annotations.Nullable;

/**
 * The response of an exchange on its way to the client: framed as the client can take it, the head kept back until the
 * first bytes of the body or the end of a read can go with it. Writes, and leaves it to the exchange to flush. Confined to
 * the loop's thread.
 */
final class ClientResponse {

    /** Up to this size head and body share a buffer: a copy costs less than a second buffer to write. */
    private static final int COPY_LIMIT = 2048;

    private final Exchange exchange;
    private final ClientConnection client;
    private int status;
    private Framing framing = Framing.NONE;
    private boolean keepAlive;
    private boolean started;
    private boolean ended;
    private @Nullable ByteBuf head;
    private long length;
    private long bytesSent;
    private long bodyBytesSent;
    private int headLength;
    private @Nullable SentHead sentHead;

    ClientResponse(Exchange exchange) {
        this.exchange = exchange;
        this.client = exchange.client();
    }

    /** What was sent or is about to be; 0 before there is one. */
    int status() {
        return status;
    }

    /** Whether it is too late for another answer. */
    boolean isStarted() {
        return started;
    }

    /** Whether all of it was written. */
    boolean isEnded() {
        return ended;
    }

    /** Whether the client may send another request after it. */
    boolean isKeepAlive() {
        return keepAlive;
    }

    /** Whether only the end of the connection tells the end of the body. */
    boolean isEndedByClose() {
        return framing == Framing.CLOSE;
    }

    long bytesSent() {
        return bytesSent;
    }

    /** All but the head, sizes of chunks included, as nginx counts them. */
    long bodyBytesSent() {
        return Math.max(0, bytesSent - headLength);
    }

    /** The value of a field that the client was sent; null if there is none, or no log asks for any. */
    @Nullable
    String sentField(String name) {
        return sentHead == null ? null : sentHead.field(name);
    }

    private void headComplete(ByteBuf complete) {
        headLength = complete.readableBytes();
        AccessLog log = exchange.accessLog();
        if (log != null && log.needsSentHead()) {
            sentHead = SentHead.copyOf(complete);
        }
    }

    /** Bytes of the body that are still to come, as far as that is known. */
    long remaining() {
        return framing == Framing.LENGTH ? length - bodyBytesSent : 0;
    }

    /**
     * Begins to pass on what an upstream answers.
     *
     * @param mayKeepAlive whether the request leaves the connection fit for another
     */
    void start(ResponseHead received, Route route, boolean mayKeepAlive) {
        HttpFields headers = received.headers();
        status = received.status();
        started = true;
        keepAlive = mayKeepAlive;
        String declared = headers.get(HttpHeaderNames.CONTENT_LENGTH);
        if (exchange.request().isHead() || status == 204 || status == 304) {
            framing = Framing.NONE;
        } else if (declared != null) {
            framing = Framing.LENGTH;
            length = Long.parseLong(declared);
        } else if (!client.isHttp10()) {
            framing = Framing.CHUNKED;
        } else {
            framing = Framing.CLOSE;
            keepAlive = false;
        }
        head = client.alloc().ioBuffer(COPY_LIMIT);
        HeadWriter.writeResponse(head, exchange, route, received, framing, keepAlive);
        headComplete(head);
    }

    /** Whether the end of the upstream's response was told, so that its connection can be used again. */
    boolean isDelimited(ResponseHead received) {
        return framing == Framing.NONE
                || framing == Framing.LENGTH
                || received.headers().contains(HttpHeaderNames.TRANSFER_ENCODING);
    }

    /** Passes on a piece of the body. */
    void write(ByteBuf piece) {
        bodyBytesSent += piece.readableBytes();
        ByteBuf waiting = head;
        if (framing == Framing.CHUNKED) {
            writeHead();
            bytesSent += RequestBody.writeChunk(client.channel(), piece);
        } else if (waiting != null && piece.readableBytes() <= waiting.maxFastWritableBytes()) {
            waiting.writeBytes(piece);
            piece.release();
        } else {
            writeHead();
            bytesSent += piece.readableBytes();
            client.write(piece);
        }
    }

    /** The body is complete. */
    void end() {
        if (framing == Framing.CHUNKED) {
            writeHead();
            bytesSent += RequestBody.writeLastChunk(client.channel());
        }
        ended = true;
    }

    /** Writes the head, and what is with it, if it is still kept back. */
    void writeHead() {
        ByteBuf waiting = head;
        if (waiting != null) {
            head = null;
            bytesSent += waiting.readableBytes();
            client.write(waiting);
        }
    }

    /** An answer of this status is being made. */
    void announce(int code) {
        status = code;
    }

    /** Writes the whole of an answer that is Weir's own. */
    void answer(Answer own, boolean mayKeepAlive) {
        int code = own.status();
        byte[] content = own.body();
        status = code;
        started = true;
        ended = true;
        keepAlive = mayKeepAlive;
        ByteBuf out = client.alloc().ioBuffer(512 + content.length);
        String reason = HttpResponseStatus.valueOf(code).reasonPhrase();
        HeadWriter.writeLocal(out, exchange, code, reason, own.contentType(), content.length, keepAlive);
        headComplete(out);
        if (!exchange.request().isHead() && code != 204 && code != 304) {
            out.writeBytes(content);
            bodyBytesSent = content.length;
        }
        bytesSent += out.readableBytes();
        client.write(out);
    }

    /** Writes the head of a 101, after which the connection speaks another protocol. */
    void switchProtocols(ResponseHead received, Route route) {
        status = 101;
        started = true;
        ByteBuf out = client.alloc().ioBuffer(512);
        HeadWriter.writeSwitch(out, exchange, route, received);
        headComplete(out);
        bytesSent += out.readableBytes();
        client.write(out);
    }

    void countTunnelled(long bytes) {
        bytesSent += bytes;
    }

    /** There will be no response: the client has gone. */
    void clientGone() {
        if (!started) {
            // nginx's own code for this; nobody is there to read it
            status = 499;
        }
    }

    /** There will be no response, and only a log tells of this status. */
    void unsent(int code) {
        status = code;
    }

    /** Frees what was not written. */
    void release() {
        if (head != null) {
            head.release();
            head = null;
        }
    }
}
