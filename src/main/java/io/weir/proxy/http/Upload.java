package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import io.weir.config.HttpVersion;
import io.weir.config.ProxySettings;
import io.weir.proxy.http.HeadWriter.Framing;
import org.jspecify.annotations.Nullable;

/**
 * A request's body from the client to the connection of whatever attempt is open: taken in, kept back or passed on, and
 * refused if it grows too large. Confined to the loop's thread.
 */
final class Upload {

    private static final byte[] CONTINUE = HeadWriter.ascii("HTTP/1.1 100 Continue\r\n\r\n");

    private final Exchange exchange;
    private final ClientConnection client;
    private final ClientRequest request;
    private final RequestBody body;
    private long received;
    private long limit = Long.MAX_VALUE;
    private boolean discarded;
    private boolean handedOn;

    Upload(Exchange exchange) {
        this.exchange = exchange;
        this.client = exchange.client();
        this.request = exchange.request();
        this.body = new RequestBody(request.framing());
        if (request.length() == 0) {
            body.complete();
        }
    }

    RequestBody body() {
        return body;
    }

    /** Bytes that are still to come, as far as that is known. */
    long remaining() {
        return request.framing() == Framing.LENGTH ? request.length() - received : 0;
    }

    /** Whether the exchange has gone on to the upstream. */
    boolean isHandedOn() {
        return handedOn;
    }

    /** Begins to take the body, and has the exchange proceed as soon as there is enough of it. */
    void start(Route route) {
        limit = route.maxBodyBytes();
        ProxySettings settings = route.config().proxy();
        // HTTP/1.0 has no chunks, so that the length must be known first
        boolean needsLength = request.framing() == Framing.CHUNKED && settings.httpVersion() == HttpVersion.HTTP_1_0;
        if (!body.isComplete() && (settings.requestBuffering().enabled() || needsLength)) {
            body.buffer((int) settings.requestBuffering().bufferSize().bytes(), exchange);
        }
        if (!body.isBuffered()) {
            handOn();
        }
        // a client that has its answer already need not send the body
        if (!body.isComplete() && request.expectsContinue() && !exchange.isResponseStarted()) {
            client.write(client.alloc().ioBuffer(CONTINUE.length).writeBytes(CONTINUE));
            client.flush();
        }
    }

    private void handOn() {
        handedOn = true;
        exchange.proceed();
    }

    /** A piece of the body, or its end. */
    void onContent(HttpContent content) {
        ByteBuf piece = content.content();
        received += piece.readableBytes();
        if (content instanceof LastHttpContent) {
            body.complete();
        }
        ClientResponse response = exchange.response();
        if (discarded || exchange.isDone() || response.isEnded() || !piece.isReadable()) {
            piece.release();
        } else if (isTooLarge()) {
            piece.release();
            exchange.refuse(413);
            return;
        } else {
            body.add(piece);
        }
        UpstreamChannel to = exchange.ready();
        if (response.isEnded()) {
            exchange.finish();
        } else if (body.isBuffered() && !handedOn) {
            gotOn();
        } else if (to != null) {
            send(to);
        } else if (!discarded && !body.isComplete()) {
            // not connected yet: no more of it until then
            client.holdReading();
        }
    }

    /** As in nginx, a chunk that will be too much is refused with its first line. */
    private boolean isTooLarge() {
        return received > limit || client.announced() > limit - received;
    }

    /** More of a body that is to be read as a whole has come, or has got to its file. */
    private void gotOn() {
        if (body.isLost()) {
            exchange.refuse(500);
        } else if (body.isStored()) {
            client.resumeReading();
            handOn();
        } else if (body.isFull()) {
            client.holdReading();
        } else {
            client.resumeReading();
        }
    }

    /** Some of the body has got to its file, or has failed to. */
    void storedOn() {
        if (!exchange.isDone() && !handedOn) {
            gotOn();
        }
    }

    /** A piece of the body has been read from its file; null if it was for somebody else, and the next can be read. */
    void sendStored(@Nullable ByteBuf piece) {
        UpstreamChannel to = exchange.ready();
        if (to == null) {
            if (piece != null) {
                piece.release();
            }
            return;
        }
        if (piece != null) {
            exchange.countSent(to, RequestBody.write(to.channel(), piece));
        }
        readComplete();
        if (exchange.ready() == to) {
            body.writeTo(to.channel());
        }
    }

    private void send(UpstreamChannel to) {
        exchange.countSent(to, body.writeTo(to.channel()));
        if (!to.channel().isWritable()) {
            // what fills the buffer goes out at once; the client is held only if the upstream does not take it
            to.flush(exchange.settings().sendTimeout().nanos());
        }
        if (!to.channel().isWritable()) {
            client.holdReading();
        }
    }

    /** The client's bytes of this turn have all been handed over. */
    void readComplete() {
        if (!discarded && !exchange.isDone() && !exchange.response().isEnded() && isTooLarge()) {
            exchange.refuse(413);
            return;
        }
        UpstreamChannel to = exchange.ready();
        if (to != null && !exchange.isResponseStarted()) {
            flush(to);
        } else if (to != null) {
            to.flush(exchange.settings().sendTimeout().nanos());
        }
    }

    /** The connection of this attempt is ready: sends the head, and what there is of the body. */
    void connected(UpstreamChannel to, ByteBuf head) {
        exchange.countSent(to, RequestBody.write(to.channel(), head) + body.writeTo(to.channel()));
        if (!client.isInRead()) {
            // otherwise once the client's bytes of this turn have come
            flush(to);
        }
        if (to.channel().isWritable()) {
            client.resumeReading();
        }
    }

    private void flush(UpstreamChannel to) {
        ProxySettings settings = exchange.settings();
        to.flush(settings.sendTimeout().nanos());
        if (body.isWritten()) {
            to.awaitHead(settings.readTimeout().nanos());
        }
    }

    /** The upstream may take more than before. */
    void writabilityChanged(UpstreamChannel to) {
        if (to.channel().isWritable()) {
            client.resumeReading();
            if (body.isBuffered() && exchange.ready() != null) {
                body.writeTo(to.channel());
            }
        }
    }

    /**
     * Nobody wants the rest.
     *
     * @param status of the answer that is given instead
     * @return whether the connection is fit for another request once the rest has come
     */
    boolean discard(int status) {
        discarded = true;
        body.release();
        // a short rest is read and thrown away, for the sake of the connection
        return body.isComplete()
                || status < 400 && request.length() <= RequestBody.REPLAY_LIMIT && !request.expectsContinue();
    }
}
