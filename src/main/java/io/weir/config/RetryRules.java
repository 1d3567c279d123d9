package io.weir.config;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** When a request or session that one peer has failed may get another. */
public interface RetryRules {

    /** That no connection came about, or not in time. */
    Set<NextUpstream> CONNECTING = Collections.unmodifiableSet(EnumSet.of(NextUpstream.ERROR, NextUpstream.TIMEOUT));

    /** What must have happened; empty for no second peer at all. */
    Set<NextUpstream> retryConditions();

    /** Most attempts, the first included; 0 for as many as there are servers. */
    int nextUpstreamTries();

    /** After which no further attempt begins; 0 for no limit. */
    TimeSpan nextUpstreamTimeout();
}
