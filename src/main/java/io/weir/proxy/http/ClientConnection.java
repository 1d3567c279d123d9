package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.util.ReferenceCountUtil;
import io.weir.config.ClientSettings;
import io.weir.config.TimeSpan;
import io.weir.proxy.address.Hosts;
import io.weir.proxy.address.ProxyHeader;
import io.weir.proxy.address.ProxyHeaderDecoder;
import io.weir.proxy.loop.Deadlines;
import io.weir.proxy.loop.ReadSizes;
import io.weir.upstream.UpstreamGroup;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's connection: takes its requests one after the other, refuses what is not clearly HTTP, and gives each to an
 * {@link Exchange}. Confined to its loop's thread, but for what says otherwise.
 *
 * <p>What the listener grants its clients is asked for as it is needed, so that a change holds for the next wait.
 */
final class ClientConnection extends ChannelInboundHandlerAdapter {

    private static final Logger log = LoggerFactory.getLogger(ClientConnection.class);

    /**
     * Of a connection that has only just been opened when its listener closes: its first request may be on the way.
     * Differs from nginx: which waits for client_header_timeout, and so does its end.
     */
    private static final long FIRST_REQUEST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private enum Waiting {
        HEADER(ClientSettings::headerTimeout),
        BODY(ClientSettings::bodyTimeout),
        SEND(ClientSettings::sendTimeout),
        IDLE(ClientSettings::keepaliveTimeout),
        LINGER(ClientSettings::lingeringTimeout);

        private final Function<ClientSettings, TimeSpan> limit;

        Waiting(Function<ClientSettings, TimeSpan> limit) {
            this.limit = limit;
        }
    }

    private final HttpProxy proxy;
    private final HttpListener listener;
    private final Loop loop;
    private final Channel channel;
    private final long id;
    private final RequestDecoder decoder;
    private final Timer timer = new Timer();
    private Waiting waitingFor = Waiting.HEADER;
    private ProxyHeader proxyHeader = ProxyHeader.NOBODY;
    private @Nullable Exchange exchange;
    private @Nullable Tunnel tunnel;
    private boolean http10;
    private boolean wantsKeepAlive;
    private boolean closing;
    private long lingerEnd;
    private boolean inRead;
    private boolean held;
    private boolean queueLimited;
    private boolean sending;
    private int requests;
    private long requestStart;
    private long waitNanos;
    private long pendingWhenArmed;

    ClientConnection(HttpProxy proxy, HttpListener listener, Channel channel, long id) {
        this.proxy = proxy;
        this.listener = listener;
        this.channel = channel;
        this.loop = proxy.loop(channel.eventLoop());
        this.id = id;
        this.decoder = proxy.decoders().requests(loop, listener::client);
        channel.config()
                .setRecvByteBufAllocator(new ReadSizes(() -> exchange == null ? 0 : exchange.requestRemaining()));
        channel.config().setWriteBufferWaterMark(Loop.WATER_MARK);
        if (listener.expectsProxyHeader()) {
            channel.pipeline().addLast(new ProxyHeaderDecoder());
        }
        channel.pipeline().addLast(decoder, this);
    }

    private final class Timer extends Deadlines.Timeout {
        @Override
        protected void expired() {
            timedOut();
        }
    }

    HttpProxy proxy() {
        return proxy;
    }

    HttpListener listener() {
        return listener;
    }

    Loop loop() {
        return loop;
    }

    Channel channel() {
        return channel;
    }

    ByteBufAllocator alloc() {
        return channel.alloc();
    }

    /** A number of its own in this process. */
    long id() {
        return id;
    }

    /** Requests so far, the running one included. */
    int requests() {
        return requests;
    }

    /** Bytes of the running request, as far as they have come. */
    long requestLength() {
        return decoder.decoded() - requestStart;
    }

    /** Bytes of the running request's body that a chunk has announced and that have not come. */
    long announced() {
        return decoder.announced();
    }

    /** Who connected: the client, or a proxy in front. */
    SocketAddress peerAddress() {
        return channel.remoteAddress();
    }

    /** Who sent a request with these fields. */
    SocketAddress clientAddress(HttpFields headers) {
        RealIp realIp = listener.realIp();
        return realIp == null ? peerAddress() : realIp.client(peerAddress(), proxyHeader, headers);
    }

    /** What the connection began with, {@link ProxyHeader#NOBODY} if with the first request. */
    ProxyHeader proxyHeader() {
        return proxyHeader;
    }

    SocketAddress localAddress() {
        return channel.localAddress();
    }

    boolean isHttp10() {
        return http10;
    }

    /** Whether further requests may come after the running one. */
    boolean mayKeepAlive() {
        ClientSettings granted = listener.client();
        return wantsKeepAlive
                && !listener.isDraining()
                && requests < granted.keepaliveRequests()
                && !granted.keepaliveTimeout().isZero();
    }

    /** Whether bytes of the client are being handed over; {@link Exchange#requestReadComplete} follows. */
    boolean isInRead() {
        return inRead;
    }

    // ---- reading ----

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        arm(Waiting.HEADER);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        inRead = true;
        if (closing) {
            ReferenceCountUtil.release(message);
        } else if (tunnel != null && message instanceof ByteBuf bytes) {
            tunnel.fromClient(bytes);
        } else if (message instanceof ProxyHeader header) {
            proxyHeader = header;
        } else if (message instanceof RequestHead request) {
            begin(request);
        } else if (message instanceof HttpContent content && exchange != null) {
            onContent(exchange, content);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    private void onContent(Exchange running, HttpContent content) {
        if (content.decoderResult().isFailure()) {
            content.release();
            running.refuse(400);
            return;
        }
        running.onRequestContent(content);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        readComplete();
    }

    private void readComplete() {
        inRead = false;
        if (closing) {
            if (waitingFor == Waiting.LINGER) {
                armLinger();
            }
        } else if (tunnel != null) {
            tunnel.clientReadComplete();
        } else if (exchange != null) {
            exchange.requestReadComplete();
            watchRequest();
        } else if (decoder.isPaused() && decoder.waiting() > 0) {
            channel.config().setAutoRead(false);
        } else if (waitingFor == Waiting.IDLE && decoder.waiting() > 0) {
            // the first bytes of the next request
            arm(Waiting.HEADER);
        }
    }

    /** Keeps an eye on a client that is still to send its body, and leaves alone what it sends too early. */
    private void watchRequest() {
        Exchange running = exchange;
        if (running == null) {
            return;
        }
        if (decoder.waiting() > 0 && decoder.isPaused()) {
            channel.config().setAutoRead(false);
        }
        if (running.awaitsBody() && !held) {
            arm(Waiting.BODY);
        } else if (waitingFor != Waiting.SEND) {
            timer.disarm();
        }
    }

    private void begin(RequestHead request) {
        requests++;
        if (request.refusal() != 0) {
            refuse(request.refusal(), request);
            return;
        }
        http10 = request.version() == RequestHead.HTTP_1_0;
        if (!http10 && request.version() != RequestHead.HTTP_1_1) {
            refuse(505, request);
            return;
        }
        HttpFields headers = request.headers();
        List<String> codings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (!codings.isEmpty() && (codings.size() > 1 || !codings.get(0).equalsIgnoreCase("chunked"))) {
            // RFC 9112 section 6.1: a coding that is not understood
            refuse(501, request);
            return;
        }
        String method = request.method();
        if (method.equals("CONNECT") || method.equals("TRACE")) {
            refuse(405, request);
            return;
        }
        List<String> hosts = headers.getAll(HttpHeaderNames.HOST);
        RequestTarget target = RequestTarget.parse(request.target());
        // RFC 9112 section 3.2: exactly one Host, or none in HTTP/1.0; that of an absolute target counts for more
        if (target == null || hosts.size() > 1 || hosts.isEmpty() && !http10) {
            refuse(400, request);
            return;
        }
        String named = hosts.isEmpty() ? "" : Hosts.name(hosts.get(0));
        String host = target.authority() == null ? named : Hosts.name(target.authority());
        if (named == null || host == null || target.authority() != null && host.isEmpty()) {
            refuse(400, request);
            return;
        }
        wantsKeepAlive = http10
                ? headers.lists(HttpHeaderNames.CONNECTION, "keep-alive")
                : !headers.lists(HttpHeaderNames.CONNECTION, "close");
        timer.disarm();
        RouteTable table = listener.table();
        Exchange started = new Exchange(this, new ClientRequest(request, target, host), table.accessLog());
        exchange = started;
        started.start(table.router());
    }

    /** For a client that was accepted before it could be served. Safe on every thread. */
    void startReading() {
        loop.executor().execute(() -> channel.config().setAutoRead(true));
    }

    /** Stops reading the body until {@link #resumeReading}. */
    void holdReading() {
        if (!held) {
            held = true;
            channel.config().setAutoRead(false);
            if (waitingFor == Waiting.BODY) {
                timer.disarm();
            }
        }
    }

    void resumeReading() {
        if (held && channel.isActive()) {
            held = false;
            channel.config().setAutoRead(true);
            if (!inRead) {
                watchRequest();
            }
        }
    }

    // ---- writing ----

    void write(ByteBuf bytes) {
        RequestBody.write(channel, bytes);
    }

    void flush() {
        channel.flush();
        if (!channel.isWritable() && channel.isActive()) {
            arm(Waiting.SEND);
        }
    }

    /**
     * Counts as not writable with more than so many bytes waiting, and as writable again with half of them, until
     * {@link #unlimitQueue}.
     */
    void limitQueue(long bytes) {
        int most = (int) Math.min(bytes, Integer.MAX_VALUE);
        int enough = Math.max(1, Math.min(most / 2, Loop.WATER_MARK.low()));
        queueLimited = true;
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(enough, most));
        // the queue is measured as something is added
        write(Unpooled.EMPTY_BUFFER);
        flush();
    }

    void unlimitQueue() {
        if (queueLimited) {
            queueLimited = false;
            channel.config().setWriteBufferWaterMark(Loop.WATER_MARK);
        }
    }

    /** Calls back once the client has taken all that was written so far; not at all if it never does. */
    void whenTaken(Runnable then) {
        sending = true;
        arm(Waiting.SEND);
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
            sending = false;
            if (written.isSuccess()) {
                timer.disarm();
                then.run();
            }
        });
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (channel.isWritable() && waitingFor == Waiting.SEND && !closing && !sending) {
            timer.disarm();
        }
        if (tunnel != null) {
            tunnel.clientWritabilityChanged();
        } else if (exchange != null) {
            exchange.clientWritabilityChanged();
        } else if (channel.isWritable() && decoder.isPaused() && !closing) {
            next();
        }
    }

    // ---- the end of a request ----

    /**
     * The response has been written.
     *
     * @param keepAlive whether the next request may come
     * @param unread whether there is more of the request to come, which nobody wants
     */
    void exchangeDone(boolean keepAlive, boolean unread) {
        exchange = null;
        held = false;
        if (!keepAlive) {
            close(unread);
            return;
        }
        // a client that pipelines but does not read must not fill the memory with answers
        if (channel.isWritable()) {
            next();
        }
    }

    /** Goes on with the next request. */
    private void next() {
        requestStart = decoder.decoded();
        if (listener.isDraining() && decoder.waiting() == 0) {
            close(false);
            return;
        }
        arm(Waiting.IDLE);
        channel.config().setAutoRead(true);
        boolean outside = !inRead;
        try {
            decoder.resume(channel.pipeline().context(decoder));
        } catch (Exception e) {
            log.debug("{}", channel, e);
            channel.close();
            return;
        }
        if (outside && inRead) {
            readComplete();
        } else if (outside && exchange == null && decoder.waiting() > 0 && !closing) {
            // the first bytes of the next request had come before the end of this one
            arm(Waiting.HEADER);
        }
    }

    /** Closes once the client has taken everything; it may still be sending. */
    private void close(boolean unread) {
        closing = true;
        boolean lingers = unread || decoder.waiting() > 0;
        if (lingers) {
            channel.config().setAutoRead(true);
        }
        arm(Waiting.SEND);
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
            if (lingers && written.isSuccess()) {
                linger();
            } else {
                channel.close();
            }
        });
    }

    /** Closing with bytes unread makes the kernel send a reset, which can overtake the answer. */
    private void linger() {
        lingerEnd = loop.now() + listener.client().lingeringTime().nanos();
        armLinger();
        ((DuplexChannel) channel).shutdownOutput();
    }

    /** Ends the connection in the middle of a response; {@code reset} where a plain close would look like its end. */
    void abort(boolean reset) {
        exchange = null;
        if (reset) {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
            channel.close();
        } else {
            close(false);
        }
    }

    /**
     * Answers what is not a request that could be served, and closes.
     *
     * @param received its head; null if there is none
     */
    private void refuse(int status, @Nullable RequestHead received) {
        reject(status, received);
        close(true);
    }

    private void reject(int status, @Nullable RequestHead received) {
        if (received == null) {
            // not counted yet, since there was no head
            requests++;
        }
        String broken = decoder.brokenLine();
        ClientRequest request = broken != null || received == null
                ? ClientRequest.broken(broken == null ? "" : broken)
                : ClientRequest.refused(received);
        new Exchange(this, request, listener.table().accessLog()).reject(status);
    }

    /** Logs an exchange that is over once the client has taken all of it; as in nginx, its time ends then. */
    void log(AccessLog log, Exchange ended) {
        if (pending() == 0) {
            loop.logLines().add(log.writer(), log.format(), ended);
        } else {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER)
                    .addListener(taken -> loop.logLines().add(log.writer(), log.format(), ended));
        }
    }

    // ---- other protocols ----

    /** The connection now carries bytes of another protocol. */
    void switchTo(Tunnel tunnel) {
        timer.disarm();
        exchange = null;
        this.tunnel = tunnel;
        // whatever the client sent behind its request is passed on by the decoder as it leaves
        channel.pipeline().remove(decoder);
        tunnel.clientReadComplete();
        channel.config().setAutoRead(true);
        if (listener.isGoingAway()) {
            tunnel.goAway();
        }
    }

    /**
     * The tunnel is over, but for what the client is still to take.
     *
     * @param unread whether the client may go on sending
     */
    void tunnelEnded(boolean unread) {
        close(unread);
    }

    // ---- events ----

    /** Ends the connection as soon as no request runs, and its first one has had time to come. Safe on every thread. */
    void drain() {
        loop.executor().execute(() -> {
            if (exchange != null || tunnel != null || closing || decoder.waiting() > 0) {
                return;
            }
            if (requests > 0) {
                close(false);
            } else {
                arm(Waiting.HEADER, Math.min(FIRST_REQUEST_NANOS, waitNanos));
            }
        });
    }

    /** Tells whoever has a tunnel that Weir stops. Safe on every thread. */
    void goAway() {
        loop.executor().execute(() -> {
            if (tunnel != null) {
                tunnel.goAway();
            }
        });
    }

    /** Ends the connection, whatever runs; a request without an answer is given one. Safe on every thread. */
    void cut() {
        loop.executor().execute(() -> {
            if (closing) {
                return;
            }
            if (tunnel != null) {
                tunnel.cut();
            } else if (exchange != null) {
                exchange.cut();
            } else if (decoder.brokenLine() != null) {
                refuse(503, null);
            } else {
                close(false);
            }
        });
    }

    /** Ends what is in progress at a server, if this is. Safe on every thread. */
    void drop(UpstreamGroup group, int serverId) {
        loop.executor().execute(() -> {
            if (tunnel != null) {
                tunnel.drop(group, serverId);
            } else if (exchange != null) {
                exchange.drop(group, serverId);
            }
        });
    }

    private void arm(Waiting what) {
        arm(what, what.limit.apply(listener.client()).nanos());
    }

    private void armLinger() {
        long timeout = listener.client().lingeringTimeout().nanos();
        arm(Waiting.LINGER, Math.min(timeout, lingerEnd - loop.now()));
    }

    private void arm(Waiting what, long nanos) {
        waitingFor = what;
        waitNanos = nanos;
        pendingWhenArmed = pending();
        loop.deadlines().arm(timer, nanos);
    }

    /** Bytes that wait for the client to take them. */
    long pending() {
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        return out == null ? 0 : out.totalPendingWriteBytes();
    }

    private void timedOut() {
        if (waitingFor == Waiting.BODY && exchange != null) {
            exchange.refuse(408);
        } else if (waitingFor == Waiting.HEADER && decoder.waiting() > 0) {
            refuse(408, null);
        } else if (pending() < pendingWhenArmed) {
            // slow, but taking what it is sent
            arm(waitingFor, waitNanos);
        } else {
            channel.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        loop.deadlines().forget(timer);
        listener.closed(this);
        if (tunnel != null) {
            tunnel.clientClosed();
        } else if (exchange != null) {
            Exchange running = exchange;
            exchange = null;
            running.clientGone();
        } else if (!closing && decoder.brokenLine() != null) {
            // half a request line, which nginx logs as a 400 that nobody got
            reject(400, null);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof java.io.IOException)) {
            log.warn("closing {}", channel, cause);
        }
        channel.close();
    }
}
