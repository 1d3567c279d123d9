package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.LastHttpContent;
import io.weir.config.HttpVersion;
import io.weir.config.NextUpstream;
import io.weir.config.ProxySettings;
import io.weir.config.RequestValues;
import io.weir.config.RouteTarget;
import io.weir.config.StickyConfig;
import io.weir.config.Template;
import io.weir.proxy.http.HeadWriter.Framing;
import io.weir.upstream.Outcome;
import io.weir.upstream.PeerConnection;
import io.weir.upstream.UpstreamGroup;
import io.weir.zone.FailureReason;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its response: finds the route, passes the request on, moves to the next peer where the rules allow it,
 * and passes the response back.
 *
 * <p>Until the first byte of a response has been written to the client, an attempt that fails can be followed by another.
 * From then on the response ends as the upstream ends it. Confined to the loop's thread.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_proxy_module.html">ngx_http_proxy_module</a>
 */
final class Exchange implements RequestValues {

    private static final Logger log = LoggerFactory.getLogger(Exchange.class);

    private final ClientConnection client;
    private final Loop loop;
    private final ClientRequest request;
    private final SocketAddress remoteAddress;
    private final Upload upload;
    private final RequestBody body;
    private final ClientResponse response;
    private final long startNanos;
    private final int requestNumber;
    private long requestLength = -1;
    private @Nullable AccessLog accessLog;
    private @Nullable Route route;
    private String proxyHost = "";
    private @Nullable Attempts attempts;
    private @Nullable ResponseHead upstreamResponse;
    private @Nullable ResponseBuffer buffer;
    private boolean alone;
    private boolean done;
    private @Nullable String requestId;

    /** @param accessLog of the listener; null for none */
    Exchange(ClientConnection client, ClientRequest request, @Nullable AccessLog accessLog) {
        this.client = client;
        this.loop = client.loop();
        this.request = request;
        this.remoteAddress = client.clientAddress(request.headers());
        this.upload = new Upload(this);
        this.body = upload.body();
        this.response = new ClientResponse(this);
        this.startNanos = loop.now();
        this.requestNumber = client.requests();
        this.accessLog = accessLog;
    }

    // ---- what variables and writers ask ----

    ClientConnection client() {
        return client;
    }

    Loop loop() {
        return loop;
    }

    ClientRequest request() {
        return request;
    }

    ClientResponse response() {
        return response;
    }

    /** The client's, by the word of trusted proxies if there are any. */
    SocketAddress remoteAddress() {
        return remoteAddress;
    }

    /** Of the target or the Host field, in lower case and without port; the listener's name if the client named none. */
    String host() {
        return request.host().isEmpty() ? client.listener().name() : request.host();
    }

    @Nullable
    Route route() {
        return route;
    }

    RequestBody body() {
        return body;
    }

    String proxyHost() {
        return proxyHost;
    }

    @Nullable
    PeerConnection peers() {
        return attempts == null ? null : attempts.peers();
    }

    @Nullable
    ResponseHead upstreamResponse() {
        return upstreamResponse;
    }

    boolean isResponseStarted() {
        return response.isStarted();
    }

    /** Whether it is over, and nothing further may come of it. */
    boolean isDone() {
        return done;
    }

    /** Where it is going to be logged; null for nowhere. */
    @Nullable
    AccessLog accessLog() {
        return accessLog;
    }

    /** Its place among the requests of the connection, from 1. */
    int requestNumber() {
        return requestNumber;
    }

    /** Bytes of the request, as far as they have come. */
    long requestLength() {
        return requestLength < 0 ? client.requestLength() : requestLength;
    }

    long elapsedNanos() {
        return loop.now() - startNanos;
    }

    /** 32 hexadecimal digits, made when first asked for. */
    String requestId() {
        if (requestId == null) {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            requestId = String.format("%016x%016x", random.nextLong(), random.nextLong());
        }
        return requestId;
    }

    /** The value of the cookie that keeps the client at the server it has got; null if its group has none. */
    @Nullable
    String stickyCookie() {
        StickyConfig.Cookie cookie = attempts == null ? null : attempts.group().stickyCookie();
        return cookie == null || attempts == null
                ? null
                : StickyCookie.value(cookie, attempts.peers().sid(), Instant.now());
    }

    /** Bytes of the request's body that are still to come, as far as that is known. */
    long requestRemaining() {
        return upload.remaining();
    }

    @Override
    public String value(Template template) {
        return Text.of(template, this);
    }

    @Override
    public @Nullable InetAddress clientAddress() {
        return remoteAddress instanceof InetSocketAddress inet ? inet.getAddress() : null;
    }

    ProxySettings settings() {
        return route == null ? ProxySettings.DEFAULT : route.config().proxy();
    }

    // ---- the request ----

    /** Begins. */
    void start(Router router) {
        client.proxy().connections().requestBegun();
        Route found;
        try {
            found = router.find(request.host(), request.target().path(), request.method(), request.headers());
        } catch (PathRegex.TooCostly e) {
            log.debug("{}: {}", client.listener().name(), e.getMessage());
            answer(500);
            return;
        }
        if (found == null) {
            if (router.isEmpty()) {
                answer(404, Answer.text(404, client.proxy().emptyNotice()));
            } else {
                answer(404);
            }
            return;
        }
        route = found;
        if (!found.config().accessLog()) {
            accessLog = null;
        }
        if (request.framing() == Framing.LENGTH && request.length() > found.maxBodyBytes()) {
            answer(413);
            return;
        }
        Text fixed = found.respondBody();
        if (fixed != null && found.config().target() instanceof RouteTarget.Respond respond) {
            answer(respond.status(), Answer.of(this, respond.status(), respond.contentType(), fixed));
            return;
        }
        upload.start(found);
    }

    /** Goes on to the upstream, with as much of the body as there has to be. */
    void proceed() {
        Route found = Objects.requireNonNull(route);
        proxyHost = found.proxyHost();
        UpstreamGroup known = found.group();
        if (known != null) {
            begin(known, found);
        } else {
            resolve(found);
        }
    }

    private void resolve(Route found) {
        String url = Objects.requireNonNull(found.address()).of(this);
        client.proxy().addresses().find(loop, url, (resolved, name) -> {
            if (done) {
                return;
            }
            proxyHost = name;
            if (resolved == null) {
                answer(502);
            } else {
                begin(resolved, found);
            }
        });
    }

    private void begin(UpstreamGroup group, Route found) {
        Attempts begun = new Attempts(this, group, found);
        attempts = begun;
        begun.next();
    }

    /** A piece of the request's body, or its end. */
    void onRequestContent(HttpContent content) {
        upload.onContent(content);
    }

    /** Some of the body has got to its file, or has failed to. */
    void bodyStoredOn() {
        upload.storedOn();
    }

    /** A piece of the body has been read from its file; null if it was for somebody else, and the next can be read. */
    void sendStored(@Nullable ByteBuf piece) {
        upload.sendStored(piece);
    }

    /** So many bytes of the request were written. */
    void countSent(UpstreamChannel to, long bytes) {
        Objects.requireNonNull(attempts).countSent(to, bytes);
    }

    /** The connection of the open attempt, once the request may be sent on it. */
    @Nullable
    UpstreamChannel ready() {
        return attempts == null ? null : attempts.ready();
    }

    /** Of the open attempt; null if there is none. */
    @Nullable
    UpstreamChannel connection() {
        return attempts == null ? null : attempts.connection();
    }

    /** The client's bytes of this turn have all been handed over. */
    void requestReadComplete() {
        upload.readComplete();
    }

    /** Whether the upstream is asked for another protocol, since the client is. */
    boolean asksForUpgrade() {
        return request.wantsUpgrade() && settings().httpVersion() == HttpVersion.HTTP_1_1;
    }

    /** Whether the client is still to send some of the body. */
    boolean awaitsBody() {
        return !body.isComplete() && !done;
    }

    /** The client's body is not as it should be: it does not come, is too large, or is not HTTP. */
    void refuse(int code) {
        if (response.isStarted()) {
            abort();
            return;
        }
        endAttempt();
        answer(code);
    }

    /** Weir stops and waits no longer. Differs from nginx: whoever has no answer yet gets one, see ADR 14. */
    void cut() {
        if (response.isEnded()) {
            endAttempt();
            end();
            client.exchangeDone(false, !body.isComplete());
        } else {
            refuse(503);
        }
    }

    /** The client has gone, or its connection broke. */
    void clientGone() {
        if (!done) {
            response.clientGone();
            if (mayGoOnAlone()) {
                goOnAlone();
            } else {
                endAttempt();
                end();
            }
        }
    }

    private boolean mayGoOnAlone() {
        return settings().ignoreClientAbort()
                && upload.isHandedOn()
                && body.isComplete()
                && !asksForUpgrade()
                && !response.isEnded()
                && (buffer == null || !buffer.isEnded());
    }

    /** The upstream is heard to its end, for its own sake. */
    private void goOnAlone() {
        alone = true;
        // what is counted is connections on which a request runs
        client.proxy().connections().requestEnded();
        ResponseBuffer unneeded = buffer;
        if (unneeded != null) {
            buffer = null;
            unneeded.release();
            UpstreamChannel from = connection();
            if (from != null) {
                from.channel().config().setAutoRead(true);
                from.awaitBytes(readTimeoutNanos());
            }
        }
    }

    void clientWritabilityChanged() {
        if (buffer != null && client.channel().isWritable()) {
            buffer.clientHasRoom();
        }
    }

    // ---- what becomes of the attempt ----

    /** The connection of this attempt is ready. */
    void upstreamConnected(UpstreamChannel to) {
        Attempts its = Objects.requireNonNull(attempts);
        its.connected(to);
        ByteBuf out = to.channel().alloc().ioBuffer(1024);
        HeadWriter.writeRequest(out, this, Objects.requireNonNull(route));
        upload.connected(to, out);
    }

    void upstreamWritabilityChanged() {
        UpstreamChannel to = connection();
        if (to != null) {
            upload.writabilityChanged(to);
        }
    }

    /** The attempt failed before there was a response head, or is cut short after it. */
    void upstreamFailed(NextUpstream condition, FailureReason reason) {
        if (done || connection() == null) {
            return;
        }
        if (response.isStarted()) {
            truncated();
            return;
        }
        Attempts its = Objects.requireNonNull(attempts);
        int code = condition == NextUpstream.TIMEOUT ? 504 : 502;
        if (its.fail(condition, reason, code, body.isReplayable())) {
            body.rewind();
            its.next();
        } else {
            answer(code);
        }
    }

    /** Whether an attempt is open at a server. */
    boolean isAt(UpstreamGroup group, int serverId) {
        UpstreamChannel to = connection();
        return to != null
                && Objects.requireNonNull(attempts).group() == group
                && to.peer().id() == serverId;
    }

    /** Leaves a server, if it is there: as if it had closed, but that is not its failure. */
    void drop(UpstreamGroup group, int serverId) {
        if (done || !isAt(group, serverId)) {
            return;
        }
        Attempts its = Objects.requireNonNull(attempts);
        if (response.isStarted()) {
            truncated();
        } else if (its.giveUp(body.isReplayable())) {
            body.rewind();
            its.next();
        } else {
            answer(502);
        }
    }

    /** The peer closed, or the connection broke. */
    void upstreamClosed() {
        if (response.isEnded() || buffer != null && buffer.isEnded()) {
            upstreamReadComplete();
        } else {
            upstreamFailed(NextUpstream.ERROR, FailureReason.RESET);
        }
    }

    /**
     * A response head.
     *
     * @return whether it is an interim one, which is not passed on
     */
    boolean onResponse(ResponseHead received) {
        if (!received.isValid()) {
            upstreamFailed(NextUpstream.INVALID_HEADER, FailureReason.PROTOCOL);
            return false;
        }
        int code = received.status();
        if (code == 101 && asksForUpgrade() && received.headers().contains(HttpHeaderNames.UPGRADE)) {
            switchProtocols(received);
            return true;
        }
        if (code < 200 && code != 101) {
            return true;
        }
        if (code == 101) {
            upstreamFailed(NextUpstream.INVALID_HEADER, FailureReason.PROTOCOL);
            return false;
        }
        Attempts its = Objects.requireNonNull(attempts);
        if (its.leave(code, body.isReplayable())) {
            body.rewind();
            its.next();
            return false;
        }
        upstreamResponse = received;
        its.peers().responseChosen();
        if (Answer.intercepts(route, code)) {
            // as in nginx, the connection goes with the rest of the response
            endAttempt();
            answer(code);
            return false;
        }
        body.forget();
        buffer = alone ? null : ResponseBuffer.of(this, settings().buffering(), received);
        // the rest of a body that the upstream did not wait for cannot be told from the next request
        response.start(received, Objects.requireNonNull(route), client.mayKeepAlive() && body.isComplete());
        return false;
    }

    /** A piece of the response's body, or its end. */
    void onResponseContent(HttpContent content) {
        ByteBuf piece = content.content();
        if (!response.isStarted() || response.isEnded() || done) {
            // the rest of a response that was moved on from, or came too late
            piece.release();
            return;
        }
        if (content.decoderResult().isFailure()) {
            piece.release();
            truncated();
            return;
        }
        if (piece.isReadable()) {
            Objects.requireNonNull(attempts).peers().addBodyBytes(piece.readableBytes());
            if (alone) {
                piece.release();
            } else {
                pass(piece);
            }
        } else {
            piece.release();
        }
        if (content instanceof LastHttpContent) {
            if (buffer == null || buffer.isEmpty()) {
                response.end();
            } else {
                buffer.end(false);
            }
        }
    }

    private void pass(ByteBuf piece) {
        if (buffer != null) {
            buffer.add(piece);
            return;
        }
        response.write(piece);
        if (!client.channel().isWritable()) {
            // what fills the queue goes out at once
            client.flush();
            if (!client.channel().isWritable()) {
                buffer().checkClient();
            }
        }
    }

    /** For a client that has fallen behind; none is needed before. */
    private ResponseBuffer buffer() {
        if (buffer == null) {
            buffer = ResponseBuffer.of(this, settings().buffering());
        }
        return buffer;
    }

    /** The client has been handed all that its buffer held. */
    void bufferDrained(boolean cut) {
        if (cut) {
            client.flush();
            abort();
        } else {
            response.end();
            upstreamDone();
        }
    }

    /** What was stored of the response cannot be read. */
    void bufferLost() {
        abort();
    }

    /** The client has got the last byte of a response that is not buffered. */
    void clientTookAll() {
        if (!done) {
            upstreamReadComplete();
        }
    }

    long readTimeoutNanos() {
        return settings().readTimeout().nanos();
    }

    /** Bytes of the response's body that are still to come, as far as that is known. */
    long responseRemaining() {
        return buffer == null ? response.remaining() : response.remaining() - buffer.size();
    }

    /** Bytes of the response to read at once, at the most. */
    int responseReadLimit() {
        return buffer == null ? Integer.MAX_VALUE : buffer.readLimit();
    }

    /** The upstream's bytes of this turn have all been handed over. */
    void upstreamReadComplete() {
        if (!response.isStarted() || done) {
            return;
        }
        response.writeHead();
        if (response.isEnded() || buffer != null && buffer.isEnded()) {
            upstreamDone();
            return;
        }
        client.flush();
        UpstreamChannel from = connection();
        if (buffer != null || client.pending() > settings().buffering().memory()) {
            buffer().readComplete();
        } else if (from != null) {
            from.awaitBytes(readTimeoutNanos());
        }
    }

    /** The upstream's side is complete, whatever the client still has to take. */
    private void upstreamDone() {
        if (buffer != null && buffer.awaitsClient()) {
            return;
        }
        // before the client can know: its next request may be for the same connection
        if (attempts != null) {
            attempts.finish(isReusable());
        }
        client.flush();
        if (response.isEnded()) {
            finish();
        }
    }

    /** keepalive rules: all of the request sent, HTTP/1.1, an end that was told, and no word of closing in Connection. */
    private boolean isReusable() {
        ResponseHead received = upstreamResponse;
        return received != null
                && body.isWritten()
                && received.version() == RequestHead.HTTP_1_1
                && response.isDelimited(received)
                && !(received.headers().contains(HttpHeaderNames.CONNECTION) && announcesClose(received.headers()));
    }

    /** The letters anywhere in the field, as nginx looks for them. */
    private static boolean announcesClose(HttpFields headers) {
        return headers.getAll(HttpHeaderNames.CONNECTION).stream()
                .anyMatch(value -> value.toLowerCase(Locale.ROOT).contains("close"));
    }

    /** The upstream ended before its response did; the client must be able to see that. */
    private void truncated() {
        if (buffer != null && !buffer.isEmpty()) {
            // what has come before is the client's all the same
            buffer.end(true);
            endAttempt();
            return;
        }
        response.writeHead();
        client.flush();
        abort();
    }

    // ---- the end ----

    /** Answers an error with what the route has for it. */
    void answer(int code) {
        answer(code, Answer.error(this, code));
    }

    /** @param code of what happened, which the answer need not tell */
    private void answer(int code, Answer own) {
        boolean fitForMore = upload.discard(code);
        response.answer(own, client.mayKeepAlive() && fitForMore);
        client.flush();
        client.resumeReading();
        finish();
    }

    private void abort() {
        endAttempt();
        end();
        if (!alone) {
            client.abort(response.isEndedByClose());
        }
    }

    private void endAttempt() {
        if (attempts != null) {
            attempts.end(Outcome.OK, null);
        }
    }

    /** Ends it, once the response has been written and the rest of the body has come or nobody waits for it. */
    void finish() {
        if (!done && (body.isComplete() || !response.isKeepAlive())) {
            end();
            if (!alone) {
                client.exchangeDone(response.isKeepAlive(), !body.isComplete());
            }
        }
    }

    private void end() {
        if (done) {
            return;
        }
        done = true;
        if (!alone) {
            client.proxy().connections().requestEnded();
        }
        body.release();
        response.release();
        if (buffer != null) {
            buffer.release();
        }
        if (attempts != null) {
            attempts.group().countRequest(response.status(), elapsedNanos());
        }
        log();
    }

    private void log() {
        // the connection counts those of the next request soon
        requestLength = requestLength();
        if (accessLog != null) {
            client.log(accessLog, this);
        }
    }

    /** Answers what is no request that could be served, if the client is still there to read it, and only logs it if not. */
    void reject(int code) {
        if (client.channel().isActive()) {
            response.answer(Answer.line(code), false);
            client.flush();
        } else {
            response.unsent(code);
        }
        log();
    }

    // ---- other protocols ----

    private void switchProtocols(ResponseHead received) {
        Attempts its = Objects.requireNonNull(attempts);
        UpstreamChannel connection = Objects.requireNonNull(its.connection());
        its.peers().headerReceived(101);
        its.peers().addBytes(0, connection.takeReceived());
        upstreamResponse = received;
        its.peers().responseChosen();
        // what follows is no part of the request
        requestLength = client.requestLength();
        response.switchProtocols(received, Objects.requireNonNull(route));
        Tunnel tunnel = new Tunnel(
                this,
                client.channel(),
                connection,
                settings().readTimeout().nanos(),
                "websocket".equalsIgnoreCase(received.headers().get(HttpHeaderNames.UPGRADE)));
        connection.switchTo(tunnel);
        client.switchTo(tunnel);
        client.flush();
    }

    void countTunnelled(long fromClient, long fromUpstream) {
        Objects.requireNonNull(attempts).peers().addBytes(fromClient, fromUpstream);
    }

    void tunnelEnded() {
        if (!done) {
            Objects.requireNonNull(attempts).tunnelEnded();
            end();
        }
    }
}
