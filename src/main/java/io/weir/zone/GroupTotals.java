package io.weir.zone;

/**
 * What a group has done since it was created.
 *
 * @param requests as clients saw them, by {@link StatusClass}
 * @param durations of those requests
 * @param retriesSucceeded requests that moved on to another peer and got an answer there
 * @param retriesExhausted requests that moved on and still got none, or one that would have let them move on again
 * @param noPeer requests that were refused because no peer was eligible
 */
public record GroupTotals(
        Counts requests, Durations durations, long retriesSucceeded, long retriesExhausted, long noPeer) {}
