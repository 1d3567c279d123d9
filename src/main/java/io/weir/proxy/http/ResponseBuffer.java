package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.weir.config.ResponseBuffering;
import io.weir.proxy.loop.Deadlines;
import io.weir.proxy.loop.Pace;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What stands between an upstream and a client that do not have the same pace: the client's queue, then a temporary file,
 * then the upstream has to wait.
 *
 * <p>A response that the client takes as fast as it comes has none of these; it is made when the client first falls behind,
 * or when the response has a pace of its own. The memory of buffers is the client's queue, so nothing is ever held back
 * that the client could take.
 *
 * <p>Differs from nginx: a file is begun only after the client has kept the upstream waiting for {@value #PATIENCE_MILLIS}
 * ms in all. Nearly every client falls behind for some milliseconds, and a file for each would only heat the disk.
 *
 * <p>Confined to the loop's thread. Called again from within while it flushes, since the client may take bytes at once.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering">proxy_buffering</a>
 */
final class ResponseBuffer {

    static final int PATIENCE_MILLIS = 50;

    /** Read from the file at once, at the most. */
    private static final int READ = 64 * 1024;

    /** Why the upstream is not read from; several may hold at once. */
    private static final int CLIENT = 1;

    private static final int DISK = 2;
    private static final int RATE = 4;

    private final Exchange exchange;
    private final ClientConnection client;
    private final ResponseBuffering settings;
    private final boolean buffering;
    private final long memory;
    private final Patience patience = new Patience();
    private final @Nullable Pace pace;
    private final Pause pause = new Pause();
    private long fileLimit;
    private int held;
    private boolean slow;

    /** Whether a turn has ended with the upstream held. */
    private boolean resting;

    /** The upstream has closed: what the system still had of it is read at once, held or not. */
    private boolean unasked;

    private @Nullable Spool spool;
    private long sent;
    private boolean ended;
    private boolean cut;
    private boolean clientAsked;
    private boolean clientTook;
    private boolean released;

    private ResponseBuffer(Exchange exchange, ResponseBuffering settings, boolean buffering, long rate) {
        this.exchange = exchange;
        this.client = exchange.client();
        this.settings = settings;
        this.buffering = buffering;
        this.memory = buffering ? settings.memory() : settings.bufferSize().bytes();
        // 0 for no file
        this.fileLimit = buffering ? settings.maxTempFileSize().bytes() : 0;
        this.pace = buffering && rate > 0 ? new Pace(rate, client.loop().now()) : null;
    }

    /** Of a response with a pace of its own, by the settings or by its {@code X-Accel} fields; null for any other. */
    static @Nullable ResponseBuffer of(Exchange exchange, ResponseBuffering settings, ResponseHead received) {
        HttpFields headers = received.headers();
        boolean buffering = settings.enabled();
        long rate = settings.limitRate().bytes();
        String wanted = headers.get(ResponseFields.ACCEL_BUFFERING);
        if (wanted != null) {
            buffering = wanted.equalsIgnoreCase("yes") || buffering && !wanted.equalsIgnoreCase("no");
        }
        String wantedRate = headers.get(ResponseFields.ACCEL_LIMIT_RATE);
        if (wantedRate != null) {
            rate = rate(wantedRate, rate);
        }
        return buffering && rate == 0 ? null : new ResponseBuffer(exchange, settings, buffering, rate);
    }

    private static long rate(String text, long otherwise) {
        // more digits than a rate has, and fewer than overflow
        return text.matches("[0-9]{1,15}") ? Long.parseLong(text) : otherwise;
    }

    /** Of a response whose client has fallen behind. */
    static ResponseBuffer of(Exchange exchange, ResponseBuffering settings) {
        return new ResponseBuffer(exchange, settings, true, 0);
    }

    // ---- from the upstream ----

    /** Takes over a piece of the body. */
    void add(ByteBuf piece) {
        unasked |= resting && fileLimit > 0;
        if (pace != null && !unasked) {
            // one read at a time; what comes of it is known at its end
            hold(RATE);
            pace.took(piece.readableBytes());
        }
        if (!isEmpty() || fileLimit > 0 && (unasked || slow && !client.channel().isWritable())) {
            store(piece);
        } else {
            exchange.response().write(piece);
            checkClient();
        }
    }

    /** Something was written for the client. */
    void checkClient() {
        if (!client.channel().isWritable()) {
            // what fills the queue goes out at once; the upstream is held only if the client does not take it
            client.flush();
            if (!slow && !client.channel().isWritable() && client.pending() > memory) {
                clientIsFull();
            }
        }
    }

    private void store(ByteBuf piece) {
        Spool to = spool;
        if (to == null) {
            to = new Spool(client.proxy().files(), client.loop().executor(), client.alloc(), this::stored);
            spool = to;
        }
        to.add(piece);
        if (isFileFull(to)) {
            hold(DISK);
        }
    }

    private boolean isFileFull(Spool to) {
        return to.isFailed() || to.waiting() > memory || to.end() + to.waiting() >= fileLimit;
    }

    /** The bytes of this turn have all been handed over, and flushed. */
    void readComplete() {
        if (pace != null) {
            pause.begin(pace.pauseMillis(client.loop().now()));
        }
        if (!slow && isEmpty() && client.pending() > memory) {
            clientIsFull();
        }
        UpstreamChannel from = exchange.connection();
        if (held == 0 && from != null) {
            from.awaitBytes(exchange.readTimeoutNanos());
        }
        resting = held != 0;
    }

    /** The body has come to its end, or broke off; the rest of it is still to go to the client. */
    void end(boolean cut) {
        ended = true;
        this.cut = cut;
    }

    /** Whether the upstream's side is over while there is more for the client. */
    boolean isEnded() {
        return ended;
    }

    /** Whether the client has been handed all that came. */
    boolean isEmpty() {
        return spool == null || stored(spool) == 0;
    }

    /** Bytes that have come and are still to be handed to the client. */
    long size() {
        return spool == null ? 0 : stored(spool);
    }

    private long stored(Spool of) {
        return of.end() - sent + of.waiting();
    }

    /**
     * Without buffering, the peer is busy until the client has got the last byte.
     *
     * @return whether there is something to wait for; {@link Exchange#clientTookAll} follows
     */
    boolean awaitsClient() {
        UpstreamChannel from = exchange.connection();
        if (!buffering && !clientAsked && from != null) {
            clientAsked = true;
            client.flush();
            clientTook = client.pending() == 0;
            if (!clientTook) {
                from.stopWaiting();
                client.whenTaken(this::clientTook);
            }
        }
        return clientAsked && !clientTook;
    }

    private void clientTook() {
        clientTook = true;
        if (!released) {
            exchange.clientTookAll();
        }
    }

    /** Bytes to ask the upstream for at once, at the most. */
    int readLimit() {
        return pace == null || resting
                ? Integer.MAX_VALUE
                : pace.limit(client.loop().now());
    }

    // ---- to the client ----

    private void clientIsFull() {
        if ((held & CLIENT) == 0) {
            hold(CLIENT);
            if (fileLimit > 0) {
                patience.begin();
            }
            client.limitQueue(memory);
        }
    }

    /** The client has taken most of what waited for it. */
    void clientHasRoom() {
        patience.end();
        if (!slow && (held & CLIENT) != 0) {
            client.unlimitQueue();
        }
        drain();
        release(CLIENT);
    }

    /** Hands over what is stored, as far as the client takes it. */
    private void drain() {
        Spool from = spool;
        while (from != null && !released && client.channel().isWritable() && !from.isReading() && !isPausing()) {
            long inFile = from.end() - sent;
            ByteBuf piece = inFile > 0 ? null : from.poll();
            if (inFile > 0) {
                from.read(sent, (int) Math.min(inFile, mostToRead()), this::read);
            } else if (piece != null) {
                handOver(piece);
            } else {
                break;
            }
        }
        if (from != null && !released) {
            drained(from);
        }
    }

    private long mostToRead() {
        long most = Math.min(READ, settings.busyBuffersSize().bytes());
        return unasked && pace != null ? Math.min(most, pace.limit(client.loop().now())) : most;
    }

    private void read(@Nullable ByteBuf piece) {
        if (piece == null) {
            exchange.bufferLost();
            return;
        }
        sent += piece.readableBytes();
        handOver(piece);
        drain();
    }

    private void handOver(ByteBuf piece) {
        if (unasked && pace != null) {
            pace.took(piece.readableBytes());
            pauseHandingOver(pace);
        }
        exchange.response().write(piece);
        client.flush();
    }

    /** Only armed, never over at once: what is stored behind this piece must not overtake it. */
    private void pauseHandingOver(Pace its) {
        long millis = its.pauseMillis(client.loop().now());
        if (millis == 0) {
            millis = its.furtherMillis(client.loop().now());
        }
        if (millis > 0) {
            pause.begin(millis);
        }
    }

    private boolean isPausing() {
        return unasked && pause.isArmed();
    }

    /** Bytes have got to the file, or have failed to. */
    private void stored() {
        drain();
    }

    /** Looks whether the upstream may go on, or the client has got all. */
    private void drained(Spool from) {
        if (stored(from) == 0) {
            if (ended) {
                exchange.bufferDrained(cut);
                return;
            }
            if (from.isFailed()) {
                // goes on without a file
                fileLimit = 0;
                slow = false;
                client.unlimitQueue();
                from.close();
                spool = null;
                release(DISK);
                return;
            }
            from.restart();
            sent = 0;
        }
        if (!isFileFull(from)) {
            release(DISK);
        }
    }

    // ---- holding the upstream ----

    private void hold(int why) {
        UpstreamChannel from = exchange.connection();
        if (held == 0 && from != null) {
            from.channel().config().setAutoRead(false);
            from.stopWaiting();
        }
        held |= why;
    }

    private void release(int why) {
        if ((held & why) == 0) {
            return;
        }
        held &= ~why;
        resting = held != 0;
        UpstreamChannel from = exchange.connection();
        if (held == 0 && from != null && !released) {
            from.channel().config().setAutoRead(true);
            from.awaitBytes(exchange.readTimeoutNanos());
        }
    }

    /** Frees what is stored. */
    void release() {
        released = true;
        client.unlimitQueue();
        client.loop().deadlines().forget(patience);
        client.loop().deadlines().forget(pause);
        if (spool != null) {
            spool.close();
        }
    }

    /** How much longer the client may keep the upstream waiting before a file takes its place. */
    private final class Patience extends Deadlines.Timeout {

        private long left = TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        private long since;

        void begin() {
            since = client.loop().now();
            client.loop().deadlines().arm(this, left);
        }

        void end() {
            if (isArmed()) {
                left = Math.max(0, left - (client.loop().now() - since));
                disarm();
            }
        }

        @Override
        protected void expired() {
            slow = true;
            client.limitQueue(settings.busyBuffersSize().bytes());
            release(CLIENT);
        }
    }

    /** While the pace has the upstream wait, and what is left of an upstream that has closed. */
    private final class Pause extends Deadlines.Timeout {

        void begin(long millis) {
            if (millis > 0) {
                client.loop().deadlines().arm(this, TimeUnit.MILLISECONDS.toNanos(millis));
            } else if (!isArmed()) {
                expired();
            }
        }

        @Override
        protected void expired() {
            long further = pace == null ? 0 : pace.furtherMillis(client.loop().now());
            if (further > 0) {
                begin(further);
                return;
            }
            release(RATE);
            if (unasked) {
                drain();
            }
        }
    }
}
