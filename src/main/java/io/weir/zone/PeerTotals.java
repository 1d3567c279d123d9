package io.weir.zone;

/**
 * What a peer has done since it was added.
 *
 * @param requests attempts sent to it, sessions of streams too; a retried one counts at each peer it tried
 * @param responses response heads received, by {@link StatusClass}; none from streams
 * @param failures attempts that counted as its failure, by {@link FailureReason#index()}
 * @param unavailable times that its failures took it out
 * @param connects sessions of streams that got a connection; requests of HTTP are not counted, as most use one again
 * @param connectNanos total time from the begin of an attempt to its connection, over {@code connects} attempts
 * @param headerNanos total time from the begin of an attempt to its response head, or to the first byte of a stream, over
 *     {@code headers} attempts
 * @param responseTimes from the begin of an attempt to its end, for attempts that got a response head; for streams, those
 *     that got a connection
 * @param downNanos total time unavailable, waiting for a first check, or unhealthy
 */
public record PeerTotals(
        long requests,
        Counts responses,
        Counts failures,
        long unavailable,
        long sentBytes,
        long receivedBytes,
        long connects,
        long connectNanos,
        long headers,
        long headerNanos,
        Durations responseTimes,
        long downNanos) {

    public long failures(FailureReason reason) {
        return failures.get(reason.index());
    }
}
