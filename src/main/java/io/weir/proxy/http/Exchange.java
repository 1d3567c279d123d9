package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
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
import io.weir.zone.Peer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response: finds the route, gets a peer, passes the request on, moves to the next peer where the
 * rules allow it, and passes the response back.
 *
 * <p>Until the first byte of a response has been written to the client, an attempt that fails can be followed by another.
 * From then on the response ends as the upstream ends it. Each attempt is freed exactly once: when the upstream's side of
 * it is over, whatever the client still has to read. Confined to the loop's thread.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_proxy_module.html">ngx_http_proxy_module</a>
 */
final class Exchange implements RequestValues {

    private static final byte[] CONTINUE = HeadWriter.ascii("HTTP/1.1 100 Continue\r\n\r\n");

    /** Up to this size a body is copied behind the head: one buffer to write costs less than two. */
    private static final int COPY_LIMIT = 2048;

    private final ClientConnection client;
    private final Loop loop;
    private final HttpRequest request;
    private final RequestTarget target;
    private final String host;
    private final String method;
    private final RequestBody body;
    private final boolean expectsContinue;
    private final long startNanos;

    private @Nullable Route route;
    private String proxyHost = "";
    private @Nullable UpstreamGroup group;
    private @Nullable PeerConnection peers;
    private @Nullable UpstreamChannel upstream;
    private boolean cached;
    private boolean sendingBegan;
    private boolean headSent;
    private boolean picking;
    private boolean pickAgain;
    private final long requestBytes;
    private long bodyBytes;
    private boolean bodyDiscarded;

    private int status;
    private @Nullable HttpResponse response;
    private Framing framing = Framing.NONE;
    private boolean keepAlive;
    private boolean responseStarted;
    private boolean responseEnded;
    private boolean done;
    private @Nullable ByteBuf head;
    private long responseBytes;
    private long bytesSent;
    private long bodyBytesSent;
    private @Nullable String requestId;

    Exchange(ClientConnection client, HttpRequest request, RequestTarget target, String host) {
        this.client = client;
        this.loop = client.loop();
        this.request = request;
        this.target = target;
        this.host = host;
        this.method = request.method().name();
        HttpHeaders headers = request.headers();
        Framing requestFraming = headers.contains(HttpHeaderNames.TRANSFER_ENCODING)
                ? Framing.CHUNKED
                : headers.contains(HttpHeaderNames.CONTENT_LENGTH) ? Framing.LENGTH : Framing.NONE;
        this.body = new RequestBody(requestFraming);
        this.requestBytes = contentLength();
        if (requestBytes == 0) {
            body.complete();
        }
        this.expectsContinue = !body.isComplete()
                && request.protocolVersion().equals(HttpVersion.HTTP_1_1)
                && headers.containsValue(HttpHeaderNames.EXPECT, "100-continue", true);
        this.startNanos = loop.now();
    }

    // ---- what variables and writers ask ----

    ClientConnection client() {
        return client;
    }

    Loop loop() {
        return loop;
    }

    HttpRequest request() {
        return request;
    }

    RequestTarget target() {
        return target;
    }

    /** Of the target or the Host field, in lower case and without port; the listener's name if the client named none. */
    String host() {
        return host.isEmpty() ? client.listener().name() : host;
    }

    String method() {
        return method;
    }

    boolean isHead() {
        return method.equals("HEAD");
    }

    @Nullable
    Route route() {
        return route;
    }

    String proxyHost() {
        return proxyHost;
    }

    @Nullable
    PeerConnection peers() {
        return peers;
    }

    @Nullable
    HttpResponse upstreamResponse() {
        return response;
    }

    boolean isResponseStarted() {
        return responseStarted;
    }

    int status() {
        return status;
    }

    long bytesSent() {
        return bytesSent;
    }

    long bodyBytesSent() {
        return bodyBytesSent;
    }

    long requestLength() {
        return client.requestLength();
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
        StickyConfig.Cookie cookie = group == null ? null : group.stickyCookie();
        return cookie == null || peers == null ? null : StickyCookie.value(cookie, peers.sid(), Instant.now());
    }

    /** The request target as the upstream gets it. */
    String upstreamTarget() {
        String prefix = route == null ? null : route.config().rewritePrefix();
        if (route == null || prefix == null) {
            return target.raw();
        }
        String rest = target.path().substring(route.path().length());
        String path = prefix + Escapes.path(rest);
        return target.query() == null ? path : path + "?" + target.query();
    }

    /** Bytes of the request's body that are still to come, as far as that is known. */
    long requestRemaining() {
        return body.framing() == Framing.LENGTH ? requestBytes - bodyBytes : 0;
    }

    /** Bytes of the response's body that are still to come, as far as that is known. */
    long responseRemaining() {
        return framing == Framing.LENGTH ? responseBytes - bodyBytesSent : 0;
    }

    private long contentLength() {
        return switch (body.framing()) {
            case LENGTH ->
                Long.parseLong(
                        request.headers().get(HttpHeaderNames.CONTENT_LENGTH).strip());
            case CHUNKED -> Long.MAX_VALUE;
            default -> 0;
        };
    }

    @Override
    public String value(Template template) {
        return Text.of(template, this);
    }

    @Override
    public @Nullable InetAddress clientAddress() {
        return client.remoteAddress() instanceof InetSocketAddress inet ? inet.getAddress() : null;
    }

    // ---- the request ----

    /** Begins. */
    void start(Router router) {
        client.proxy().connections().requestBegun();
        Route found = router.find(host, target.path(), method, request.headers());
        if (found == null) {
            answer(404, router.isEmpty() ? client.proxy().emptyNotice() : null);
            return;
        }
        route = found;
        if (body.framing() == Framing.LENGTH && requestBytes > found.maxBodyBytes()) {
            answer(413, null);
            return;
        }
        Text fixed = found.respondBody();
        if (fixed != null && found.config().target() instanceof RouteTarget.Respond respond) {
            answer(respond.status(), respond.contentType(), fixed.of(this).getBytes(StandardCharsets.ISO_8859_1));
            return;
        }
        proxyHost = found.proxyHost();
        UpstreamGroup known = found.group();
        if (known != null) {
            begin(known);
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
                answer(502, null);
            } else {
                begin(resolved);
            }
        });
    }

    private void begin(UpstreamGroup known) {
        group = known;
        peers = known.open(settings(), this);
        if (expectsContinue && bodyBytes == 0) {
            client.write(client.alloc().ioBuffer(CONTINUE.length).writeBytes(CONTINUE));
            client.flush();
        }
        nextAttempt();
    }

    private ProxySettings settings() {
        return route == null ? ProxySettings.DEFAULT : route.config().proxy();
    }

    /** A piece of the request's body, or its end. */
    void onRequestContent(HttpContent content) {
        ByteBuf piece = content.content();
        bodyBytes += piece.readableBytes();
        if (content instanceof LastHttpContent) {
            body.complete();
        }
        if (bodyDiscarded || done || responseEnded || !piece.isReadable()) {
            piece.release();
        } else if (route != null && bodyBytes > route.maxBodyBytes()) {
            piece.release();
            refuse(413);
            return;
        } else {
            body.add(piece);
        }
        if (responseEnded) {
            finish();
        } else if (headSent && upstream != null) {
            countSent(upstream, body.writeTo(upstream.channel()));
            if (!upstream.channel().isWritable()) {
                // what fills the buffer goes out at once; the client is held only if the upstream does not take it
                upstream.flush(settings().sendTimeout().nanos());
            }
            if (!upstream.channel().isWritable()) {
                client.holdReading();
            }
        } else if (!bodyDiscarded && !body.isComplete()) {
            // not connected yet: no more of it until then
            client.holdReading();
        }
    }

    /** The client's bytes of this turn have all been handed over. */
    void requestReadComplete() {
        if (headSent && upstream != null && !responseStarted) {
            flushRequest(upstream);
        } else if (headSent && upstream != null) {
            upstream.flush(settings().sendTimeout().nanos());
        }
    }

    private void flushRequest(UpstreamChannel to) {
        to.flush(settings().sendTimeout().nanos());
        if (body.isWritten()) {
            to.awaitHead(settings().readTimeout().nanos());
        }
    }

    void upstreamWritabilityChanged() {
        if (upstream != null && upstream.channel().isWritable()) {
            client.resumeReading();
        }
    }

    /** Whether the client is still to send some of the body. */
    boolean awaitsBody() {
        return !body.isComplete() && !done;
    }

    /** The client's body is not as it should be: it does not come, is too large, or is not HTTP. */
    void refuse(int code) {
        if (responseStarted) {
            abort();
            return;
        }
        endAttempt(Outcome.OK, null);
        answer(code, null);
    }

    // ---- attempts ----

    private void nextAttempt() {
        if (picking) {
            // a connect may fail at once: the loop below goes on, where recursion might not end on a large group
            pickAgain = true;
            return;
        }
        picking = true;
        do {
            pickAgain = false;
            attempt();
        } while (pickAgain);
        picking = false;
    }

    private void attempt() {
        PeerConnection balancer = Objects.requireNonNull(peers);
        Peer peer = balancer.get();
        if (peer == null) {
            answer(502, null);
            return;
        }
        sendingBegan = false;
        headSent = false;
        // the balancer chose first, as in nginx; the cache only saves the handshake
        UpstreamChannel idle = Objects.requireNonNull(group).keepalive().connections() == 0
                ? null
                : loop.cache(group).take(peer, owner());
        cached = idle != null;
        if (idle != null) {
            upstreamConnected(idle);
            return;
        }
        UpstreamChannel fresh = client.proxy().connector().open(loop, peer);
        if (fresh == null) {
            // out of sockets: that is Weir's own fault and not the peer's
            balancer.free(Outcome.OK, null);
            answer(500, null);
            return;
        }
        upstream = fresh;
        fresh.connect(this, settings().connectTimeout().nanos());
    }

    private Object owner() {
        return Objects.requireNonNull(route).owner();
    }

    /** The connection of this attempt is ready. */
    void upstreamConnected(UpstreamChannel connection) {
        upstream = connection;
        connection.begin(this);
        PeerConnection balancer = Objects.requireNonNull(peers);
        balancer.connected();
        sendingBegan = true;
        headSent = true;
        ByteBuf out = connection.channel().alloc().ioBuffer(1024);
        HeadWriter.writeRequest(out, this, Objects.requireNonNull(route), body.framing(), wantsUpgrade());
        countSent(connection, RequestBody.write(connection.channel(), out) + body.writeTo(connection.channel()));
        if (!client.isInRead()) {
            // otherwise once the client's bytes of this turn have come
            flushRequest(connection);
        }
        if (connection.channel().isWritable()) {
            client.resumeReading();
        }
    }

    private void countSent(UpstreamChannel to, long bytes) {
        if (peers != null && bytes > 0) {
            to.countHanded(bytes);
            peers.addBytes(bytes, 0);
        }
    }

    /** The attempt failed before there was a response head, or is cut short after it. */
    void upstreamFailed(NextUpstream condition, FailureReason reason) {
        if (done || upstream == null) {
            return;
        }
        if (responseStarted) {
            truncated();
            return;
        }
        PeerConnection balancer = Objects.requireNonNull(peers);
        int code = condition == NextUpstream.TIMEOUT ? 504 : 502;
        balancer.status(code);
        endAttempt(Outcome.FAILED, reason);
        if (cached && condition == NextUpstream.ERROR) {
            balancer.refundTry();
        }
        if (balancer.mayRetry(condition, sendingBegan, body.isReplayable(), PeerConnection.isIdempotent(method))) {
            body.rewind();
            nextAttempt();
        } else {
            answer(code, null);
        }
    }

    /** Frees the open attempt and gives up its connection, which is not to be used again. */
    private void endAttempt(Outcome outcome, @Nullable FailureReason reason) {
        UpstreamChannel ended = upstream;
        upstream = null;
        headSent = false;
        if (ended != null) {
            PeerConnection balancer = Objects.requireNonNull(peers);
            balancer.addBytes(0, ended.takeReceived());
            ended.discard();
            balancer.free(outcome, reason);
        }
    }

    /** The peer closed, or the connection broke. */
    void upstreamClosed() {
        if (responseEnded) {
            upstreamReadComplete();
        } else {
            upstreamFailed(NextUpstream.ERROR, FailureReason.RESET);
        }
    }

    // ---- the response ----

    /**
     * A response head.
     *
     * @return whether it is an interim one, which is not passed on
     */
    boolean onResponse(HttpResponse received) {
        if (received.decoderResult().isFailure()) {
            boolean cut = received.decoderResult().cause() instanceof PrematureChannelClosureException;
            upstreamFailed(
                    cut ? NextUpstream.ERROR : NextUpstream.INVALID_HEADER,
                    cut ? FailureReason.RESET : FailureReason.PROTOCOL);
            return false;
        }
        int code = received.status().code();
        if (code == 101 && wantsUpgrade() && received.headers().contains(HttpHeaderNames.UPGRADE)) {
            switchProtocols(received);
            return true;
        }
        if (code < 200 && code != 101) {
            return true;
        }
        if (code == 101 || !hasKnownFraming(received)) {
            upstreamFailed(NextUpstream.INVALID_HEADER, FailureReason.PROTOCOL);
            return false;
        }
        PeerConnection balancer = Objects.requireNonNull(peers);
        boolean idempotent = PeerConnection.isIdempotent(method);
        balancer.headerReceived(code);
        if (balancer.mayRetryStatus(code, sendingBegan, body.isReplayable(), idempotent)) {
            boolean harmless = code == 403 || code == 404;
            endAttempt(harmless ? Outcome.NEXT : Outcome.FAILED, harmless ? null : FailureReason.HTTP_STATUS);
            body.rewind();
            nextAttempt();
            return false;
        }
        response = received;
        balancer.responseChosen();
        startResponse(received, code);
        return false;
    }

    /** A transfer coding that is not known cannot be told apart from the body; nginx refuses it too. */
    private static boolean hasKnownFraming(HttpResponse received) {
        String coding = received.headers().get(HttpHeaderNames.TRANSFER_ENCODING);
        return coding == null
                || coding.equalsIgnoreCase("chunked")
                        && received.headers()
                                        .getAll(HttpHeaderNames.TRANSFER_ENCODING)
                                        .size()
                                == 1;
    }

    private void startResponse(HttpResponse received, int code) {
        status = code;
        responseStarted = true;
        body.forget();
        // the rest of a body that the upstream did not wait for cannot be told from the next request
        keepAlive = client.mayKeepAlive() && body.isComplete();
        if (isHead() || code == 204 || code == 304) {
            framing = Framing.NONE;
        } else if (received.headers().contains(HttpHeaderNames.CONTENT_LENGTH)) {
            framing = Framing.LENGTH;
            responseBytes = Long.parseLong(received.headers().get(HttpHeaderNames.CONTENT_LENGTH));
        } else if (!client.isHttp10()) {
            framing = Framing.CHUNKED;
        } else {
            framing = Framing.CLOSE;
            keepAlive = false;
        }
        head = client.alloc().ioBuffer(COPY_LIMIT);
        HeadWriter.writeResponse(head, this, Objects.requireNonNull(route), received, framing, keepAlive);
    }

    /** A piece of the response's body, or its end. */
    void onResponseContent(HttpContent content) {
        ByteBuf piece = content.content();
        if (!responseStarted || responseEnded || done) {
            // the rest of a response that was moved on from, or came too late
            piece.release();
            return;
        }
        if (content.decoderResult().isFailure()) {
            piece.release();
            truncated();
            return;
        }
        int length = piece.readableBytes();
        boolean last = content instanceof LastHttpContent;
        if (length > 0) {
            bodyBytesSent += length;
            Objects.requireNonNull(peers).addBodyBytes(length);
            writeBody(piece);
        } else {
            piece.release();
        }
        if (last) {
            if (framing == Framing.CHUNKED) {
                writeHead();
                bytesSent += RequestBody.writeLastChunk(client.channel());
            }
            responseEnded = true;
        }
    }

    private void writeBody(ByteBuf piece) {
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
        if (upstream != null && !client.channel().isWritable()) {
            // what fills the buffer goes out at once; the upstream is held only if the client does not take it
            client.flush();
        }
        if (upstream != null && !client.channel().isWritable()) {
            upstream.channel().config().setAutoRead(false);
            upstream.stopWaiting();
        }
    }

    private void writeHead() {
        ByteBuf waiting = head;
        if (waiting != null) {
            head = null;
            bytesSent += waiting.readableBytes();
            client.write(waiting);
        }
    }

    /** The upstream's bytes of this turn have all been handed over. */
    void upstreamReadComplete() {
        if (!responseStarted || done) {
            return;
        }
        writeHead();
        UpstreamChannel connection = upstream;
        if (responseEnded) {
            if (connection != null) {
                releaseUpstream(connection);
            }
            client.flush();
            finish();
            return;
        }
        client.flush();
        if (connection != null && client.channel().isWritable()) {
            connection.awaitBytes(settings().readTimeout().nanos());
        }
    }

    void clientWritabilityChanged() {
        UpstreamChannel connection = upstream;
        if (connection != null && responseStarted && client.channel().isWritable()) {
            connection.channel().config().setAutoRead(true);
            connection.awaitBytes(settings().readTimeout().nanos());
        }
    }

    private void releaseUpstream(UpstreamChannel connection) {
        upstream = null;
        PeerConnection balancer = Objects.requireNonNull(peers);
        balancer.addBytes(0, connection.takeReceived());
        balancer.free(Outcome.OK, null);
        UpstreamGroup its = Objects.requireNonNull(group);
        if (its.keepalive().connections() > 0 && body.isWritten() && isReusable()) {
            connection.keep(loop.cache(its), owner(), its.keepalive().timeout().nanos());
        } else {
            connection.discard();
        }
    }

    /** keepalive rules of a response: HTTP/1.1, an end that was told, and no word of closing in Connection. */
    private boolean isReusable() {
        HttpResponse received = Objects.requireNonNull(response);
        if (!received.protocolVersion().equals(HttpVersion.HTTP_1_1)) {
            return false;
        }
        HttpHeaders headers = received.headers();
        boolean delimited = framing == Framing.NONE
                || framing == Framing.LENGTH
                || headers.contains(HttpHeaderNames.TRANSFER_ENCODING);
        return delimited && !(headers.contains(HttpHeaderNames.CONNECTION) && announcesClose(headers));
    }

    /** The letters anywhere in the field, as nginx looks for them. */
    private static boolean announcesClose(HttpHeaders headers) {
        return headers.getAll(HttpHeaderNames.CONNECTION).stream()
                .anyMatch(value -> value.toLowerCase(Locale.ROOT).contains("close"));
    }

    /** The upstream ended before its response did; the client must be able to see that. */
    private void truncated() {
        writeHead();
        client.flush();
        abort();
    }

    private void abort() {
        endAttempt(Outcome.OK, null);
        end();
        client.abort(framing == Framing.CLOSE);
    }

    // ---- answers of Weir's own ----

    private void answer(int code, @Nullable String text) {
        String reason = HttpResponseStatus.valueOf(code).reasonPhrase();
        String line = text == null ? code + " " + reason + "\n" : text;
        answer(code, "text/plain", line.getBytes(StandardCharsets.UTF_8));
    }

    private void answer(int code, String contentType, byte[] content) {
        status = code;
        responseStarted = true;
        responseEnded = true;
        bodyDiscarded = true;
        body.release();
        // a short rest of the body is read and thrown away, for the sake of the connection
        boolean shortRest =
                body.isComplete() || code < 400 && !expectsContinue && requestBytes <= RequestBody.REPLAY_LIMIT;
        keepAlive = client.mayKeepAlive() && shortRest;
        boolean bodyless = isHead() || code == 204 || code == 304;
        ByteBuf out = client.alloc().ioBuffer(512 + content.length);
        HeadWriter.writeLocal(
                out,
                this,
                code,
                HttpResponseStatus.valueOf(code).reasonPhrase(),
                contentType,
                content.length,
                keepAlive);
        if (!bodyless) {
            out.writeBytes(content);
            bodyBytesSent = content.length;
        }
        bytesSent += out.readableBytes();
        client.write(out);
        client.flush();
        client.resumeReading();
        finish();
    }

    // ---- the end ----

    private void finish() {
        if (!done && (body.isComplete() || !keepAlive)) {
            end();
            client.exchangeDone(keepAlive, !body.isComplete());
        }
    }

    private void end() {
        if (done) {
            return;
        }
        done = true;
        client.proxy().connections().requestEnded();
        body.release();
        if (head != null) {
            head.release();
            head = null;
        }
        if (group != null) {
            group.countRequest(status, elapsedNanos());
        }
    }

    /** The client has gone, or its connection broke. */
    void clientGone() {
        if (done) {
            return;
        }
        if (!responseStarted) {
            // nginx's own code for this; nobody is there to read it
            status = 499;
        }
        endAttempt(Outcome.OK, null);
        end();
    }

    // ---- other protocols ----

    /**
     * Whether the client asks for another protocol and may have it. HTTP/2 is left out: on such a connection requests
     * would pass that no route has seen.
     */
    private boolean wantsUpgrade() {
        HttpHeaders headers = request.headers();
        String protocol = headers.get(HttpHeaderNames.UPGRADE);
        return protocol != null
                && !client.isHttp10()
                && body.framing() == Framing.NONE
                && headers.containsValue(HttpHeaderNames.CONNECTION, "upgrade", true)
                && !protocol.toLowerCase(Locale.ROOT).contains("h2c");
    }

    private void switchProtocols(HttpResponse received) {
        UpstreamChannel connection = Objects.requireNonNull(upstream);
        PeerConnection balancer = Objects.requireNonNull(peers);
        balancer.headerReceived(101);
        balancer.addBytes(0, connection.takeReceived());
        status = 101;
        response = received;
        balancer.responseChosen();
        responseStarted = true;
        ByteBuf out = client.alloc().ioBuffer(512);
        HeadWriter.writeSwitch(out, this, Objects.requireNonNull(route), received);
        bytesSent += out.readableBytes();
        client.write(out);
        Tunnel tunnel = new Tunnel(
                this, client.channel(), connection, settings().readTimeout().nanos());
        connection.switchTo(tunnel);
        client.switchTo(tunnel);
        client.flush();
    }

    void countTunnelled(long fromClient, long fromUpstream) {
        Objects.requireNonNull(peers).addBytes(fromClient, fromUpstream);
        bytesSent += fromUpstream;
    }

    void tunnelEnded() {
        if (!done) {
            upstream = null;
            Objects.requireNonNull(peers).free(Outcome.OK, null);
            end();
        }
    }
}
