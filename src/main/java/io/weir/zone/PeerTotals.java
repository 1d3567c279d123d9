package io.weir.zone;

/**
 * What a peer has done since it was added.
 *
 * @param requests attempts sent to it; a retried request counts at each peer it tried
 * @param responses response heads received, by {@link StatusClass}
 * @param failures attempts that counted as its failure, by {@link FailureReason#index()}
 * @param unavailable times that its failures took it out
 * @param headerNanos total time from the begin of an attempt to its response head, over {@code headers} attempts
 * @param responseTimes from the begin of an attempt to its end, for attempts that got a response head
 * @param downNanos total time unavailable, waiting for a first check, or unhealthy
 */
public record PeerTotals(
        long requests,
        Counts responses,
        Counts failures,
        long unavailable,
        long sentBytes,
        long receivedBytes,
        long headers,
        long headerNanos,
        Durations responseTimes,
        long downNanos) {

    public long failures(FailureReason reason) {
        return failures.get(reason.index());
    }
}
