package io.weir.upstream;

import io.weir.balance.AttemptTimes;
import io.weir.zone.Peer;
import org.jspecify.annotations.Nullable;

/**
 * What became of one attempt: what the {@code $upstream_...} variables show.
 *
 * <p>Written by the thread of its {@link PeerConnection}; whoever reads it on another thread sees to it that the request
 * has ended and is handed over safely.
 */
public final class Attempt implements AttemptTimes {

    private final @Nullable Peer peer;
    private final String peerName;
    private final long start;
    private int status;
    private long connectNanos = -1;
    private long headerNanos = -1;
    private long responseNanos = -1;
    private long bytesSent;
    private long bytesReceived;
    private long bodyBytes;

    Attempt(Peer peer, long start) {
        this.peer = peer;
        this.peerName = peer.name();
        this.start = start;
    }

    private Attempt(String group, long start) {
        this.peer = null;
        this.peerName = group;
        this.start = start;
    }

    /** The entry of a request for which nobody was eligible: nginx shows it as the group, with status 502. */
    static Attempt busy(String group, long start) {
        Attempt attempt = new Attempt(group, start);
        attempt.status = 502;
        attempt.responseNanos = 0;
        return attempt;
    }

    @Nullable
    Peer peer() {
        return peer;
    }

    /** The peer's printable address; the group's name if nobody was eligible. */
    public String peerName() {
        return peerName;
    }

    /** Of the response head, or the error that stands for it; 0 for neither. */
    public int status() {
        return status;
    }

    /** From the begin of the attempt to a usable connection, TLS included; -1 if it did not come to that. */
    @Override
    public long connectNanos() {
        return connectNanos;
    }

    /** From the begin of the attempt to the complete response head; -1 if there was none. */
    @Override
    public long headerNanos() {
        return headerNanos;
    }

    /** From the begin of the attempt to its end; -1 while it goes on. */
    @Override
    public long responseNanos() {
        return responseNanos;
    }

    public long bytesSent() {
        return bytesSent;
    }

    public long bytesReceived() {
        return bytesReceived;
    }

    public long bodyBytes() {
        return bodyBytes;
    }

    boolean isConnected() {
        return connectNanos >= 0;
    }

    boolean isAnswered() {
        return headerNanos >= 0;
    }

    void connected(long now) {
        connectNanos = now - start;
    }

    void headerReceived(int code, long now) {
        status = code;
        headerNanos = now - start;
    }

    void status(int code) {
        status = code;
    }

    void addBytes(long sent, long received) {
        bytesSent += sent;
        bytesReceived += received;
    }

    void addBodyBytes(long bytes) {
        bodyBytes += bytes;
    }

    void ended(long now) {
        responseNanos = now - start;
    }
}
