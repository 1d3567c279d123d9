package io.weir.control.drain;

import io.weir.config.DrainConfig;

/** How a drain has ended. */
public enum DrainOutcome {
    /** Nothing was left in progress. */
    DRAINED,
    /** Its time was over, and what was left was cut. */
    TIMED_OUT,
    /** Somebody gave the server another state or address, or removed it. */
    CANCELLED;

    static DrainOutcome of(DrainConfig.Result result) {
        return result == DrainConfig.Result.DRAINED ? DRAINED : TIMED_OUT;
    }
}
