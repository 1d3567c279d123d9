package io.weir.zone;

/** The counters of one peer. Guarded by the zone lock. */
final class PeerCounters {

    private static final int REASONS = FailureReason.values().length;

    private final long[] responses = new long[StatusClass.COUNT];
    private final long[] failures = new long[REASONS];
    private final long[] buckets = new long[Durations.BUCKETS];
    private long requests;
    private long unavailable;
    private long sentBytes;
    private long receivedBytes;
    private long connects;
    private long connectNanos;
    private long headers;
    private long headerNanos;
    private long responseNanos;

    void begun() {
        requests++;
    }

    long requests() {
        return requests;
    }

    void failed(FailureReason reason) {
        failures[reason.index()]++;
    }

    void becameUnavailable() {
        unavailable++;
    }

    void transferred(long sent, long received) {
        sentBytes += sent;
        receivedBytes += received;
    }

    void answered(int status, long untilHeader, long untilEnd) {
        responses[StatusClass.of(status)]++;
        headers++;
        headerNanos += untilHeader;
        buckets[Durations.bucket(untilEnd)]++;
        responseNanos += untilEnd;
    }

    /** @param untilFirstByte -1 if there was none */
    void connected(long untilConnected, long untilFirstByte, long untilEnd) {
        connects++;
        connectNanos += untilConnected;
        if (untilFirstByte >= 0) {
            headers++;
            headerNanos += untilFirstByte;
        }
        buckets[Durations.bucket(untilEnd)]++;
        responseNanos += untilEnd;
    }

    PeerTotals snapshot(long downNanos) {
        return new PeerTotals(
                requests,
                Counts.copyOf(responses),
                Counts.copyOf(failures),
                unavailable,
                sentBytes,
                receivedBytes,
                connects,
                connectNanos,
                headers,
                headerNanos,
                new Durations(Counts.copyOf(buckets), responseNanos),
                downNanos);
    }
}
