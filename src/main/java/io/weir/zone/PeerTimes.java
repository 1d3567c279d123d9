package io.weir.zone;

/**
 * How long a peer takes to answer, for methods that go by it, in whole milliseconds: averages in which a new time counts
 * one twentieth, and how long the requests in flight have been waiting. Guarded by the zone lock.
 */
public final class PeerTimes {

    private static final double NEW_SHARE = 0.05;

    private long connectMillis;
    private long headerMillis;
    private long responseMillis;

    // The requests in flight: how many, when that changed last, and for how long they had been waiting in all until
    // then.
    private long inFlight;
    private long changedMillis;
    private long waitedMillis;
    private long inFlightMillis;

    /** What the last look at the peer came to; lets ties be found again. */
    private long estimate;

    PeerTimes() {}

    /** Average until there is a connection; 0 for none yet. */
    public long connectMillis() {
        return connectMillis;
    }

    /** Average until the response head, or the first byte of a stream; 0 for none yet. */
    public long headerMillis() {
        return headerMillis;
    }

    /** Average until the end of the response; 0 for none yet. */
    public long responseMillis() {
        return responseMillis;
    }

    public void addConnect(long millis) {
        connectMillis = average(connectMillis, millis);
    }

    public void addHeader(long millis) {
        headerMillis = average(headerMillis, millis);
    }

    public void addResponse(long millis) {
        responseMillis = average(responseMillis, millis);
    }

    private static long average(long average, long sample) {
        return average == 0 ? sample : (long) (0.5 + NEW_SHARE * sample + (1 - NEW_SHARE) * average);
    }

    /** A request begins to wait. */
    public void waitBegins(long nowMillis) {
        if (inFlight > 0) {
            waitedMillis += (nowMillis - changedMillis) * inFlight;
        }
        changedMillis = nowMillis;
        inFlight++;
    }

    /**
     * A request that began to wait has what it waited for, or never will.
     *
     * @param millis for how long it waited
     */
    public void waitEnds(long millis, long nowMillis) {
        waitedMillis = inFlight == 1 ? 0 : waitedMillis + (nowMillis - changedMillis) * inFlight - millis;
        changedMillis = nowMillis;
        inFlight--;
    }

    /** Average of how long the requests in flight were seen to wait, this look included; 0 if there are none. */
    public long lookAtWaiting(long nowMillis) {
        if (inFlight == 0) {
            return 0;
        }
        inFlightMillis = average(inFlightMillis, waitedMillis / inFlight + nowMillis - changedMillis);
        return inFlightMillis;
    }

    public long estimate() {
        return estimate;
    }

    public void estimate(long value) {
        estimate = value;
    }
}
