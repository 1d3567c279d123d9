package io.weir.program;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A steady load: connections that stay open, on each of which one request follows the other after a pause. Every fourth is
 * a POST, which no proxy may send twice. Each answer must be that of a backend that may get this request, and carry the
 * request's own target and body; everything else is a failure.
 */
final class Load implements AutoCloseable {

    private static final int FAILURES_KEPT = 20;
    private static final int MOST_BYTES = 64 * 1024;

    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final int port;
    private final long pauseMillis;
    private final Map<String, Gate> gates;
    private final AtomicLong answers = new AtomicLong();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private volatile boolean stopping;

    /**
     * Whether a backend may get requests. What was sent while it was closed, and is answered before it opens again, must
     * come from another.
     */
    static final class Gate {

        /** Odd while it is closed; each close is a new number. */
        private final AtomicLong turns = new AtomicLong();

        /** Said after the change that keeps requests away was acknowledged. */
        void closed() {
            turns.incrementAndGet();
        }

        /** Said before the change that lets them in is asked for. */
        void opens() {
            turns.incrementAndGet();
        }

        long now() {
            return turns.get();
        }

        boolean wasClosedSince(long turn) {
            return turn % 2 == 1 && turns.get() == turn;
        }
    }

    /** @param gates by the name of the backend */
    Load(int port, long pauseMillis, Map<String, Gate> gates) {
        this.port = port;
        this.pauseMillis = pauseMillis;
        this.gates = gates;
    }

    /** Connections that ask for targets below this prefix, which backends of these names answer. */
    void add(int connections, String prefix, List<String> backends) throws InterruptedException {
        for (int i = 0; i < connections; i++) {
            Connection connection = new Connection(prefix + i + "-", backends);
            Channel channel = new Bootstrap()
                    .group(loop)
                    .channel(NioSocketChannel.class)
                    .option(ChannelOption.TCP_NODELAY, true)
                    .handler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline()
                                    .addLast(new HttpClientCodec(), new HttpObjectAggregator(MOST_BYTES), connection);
                        }
                    })
                    .connect("127.0.0.1", port)
                    .sync()
                    .channel();
            running.incrementAndGet();
            channel.eventLoop().execute(() -> connection.send(channel));
        }
    }

    /** Good answers so far. */
    long answers() {
        return answers.get();
    }

    /** How many failed or went astray. */
    int failed() {
        return failed.get();
    }

    /** The first of them. */
    List<String> failures() {
        return new ArrayList<>(failures);
    }

    /** Connections on which requests go on. */
    int running() {
        return running.get();
    }

    /** Lets every connection end after the answer it waits for. */
    void stop() {
        stopping = true;
    }

    private void fail(String what) {
        failed.incrementAndGet();
        if (failures.size() < FAILURES_KEPT) {
            failures.add(what);
        }
    }

    private final class Connection extends SimpleChannelInboundHandler<FullHttpResponse> {

        private final String prefix;
        private final List<String> backends;
        private long number;
        private String target = "";
        private String body = "";
        private Map<String, Long> turns = Map.of();
        private boolean waiting;
        private boolean ended;

        Connection(String prefix, List<String> backends) {
            this.prefix = prefix;
            this.backends = backends;
        }

        void send(Channel channel) {
            if (stopping || !channel.isActive()) {
                end();
                channel.close();
                return;
            }
            number++;
            target = prefix + number;
            boolean post = number % 4 == 0;
            body = post ? "body-of-" + target.substring(1) : "";
            turns = Load.this.turns();
            waiting = true;
            FullHttpRequest request = new DefaultFullHttpRequest(
                    HttpVersion.HTTP_1_1,
                    post ? HttpMethod.POST : HttpMethod.GET,
                    target,
                    Unpooled.copiedBuffer(body, StandardCharsets.US_ASCII));
            request.headers().set("Host", "test.example");
            if (post) {
                request.headers().set("Content-Length", body.length());
            }
            channel.writeAndFlush(request);
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpResponse response) {
            waiting = false;
            String text = response.content().toString(StandardCharsets.US_ASCII);
            String name = text.contains(" ") ? text.substring(0, text.indexOf(' ')) : "";
            if (response.status().code() != 200) {
                fail(target + ": " + response.status() + " " + text);
            } else if (!backends.contains(name) || !text.equals(NamedBackend.answer(name, target, body))) {
                fail(target + ": an answer that is not its own: " + text);
            } else if (gates.containsKey(name) && gates.get(name).wasClosedSince(turns.get(name))) {
                fail(target + ": answered by " + name + ", which was out of the group before it was sent");
            } else {
                answers.incrementAndGet();
            }
            context.executor().schedule(() -> send(context.channel()), pauseMillis, TimeUnit.MILLISECONDS);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (waiting) {
                fail(target + ": closed without an answer");
            } else if (!stopping) {
                fail(target + ": closed after its answer");
            }
            end();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            fail(target + ": " + cause);
            waiting = false;
            context.close();
        }

        private void end() {
            if (!ended) {
                ended = true;
                running.decrementAndGet();
            }
        }
    }

    private Map<String, Long> turns() {
        Map<String, Long> turns = new HashMap<>();
        gates.forEach((name, gate) -> turns.put(name, gate.now()));
        return turns;
    }

    @Override
    public void close() {
        loop.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
