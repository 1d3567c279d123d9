package io.weir.zone;

import io.weir.config.AdminState;
import java.util.Set;

/**
 * A peer as it was at one moment.
 *
 * @param id of its server
 * @param server what the operator wrote
 * @param address printable, see {@link Peer#name()}
 * @param eligible whether a request that has tried nobody yet could be sent there
 * @param reasons why not, or why less than its weight
 * @param warmedPercent how much of {@code slow_start} has passed, 0 to 99; -1 if it is not climbing
 * @param weight configured
 * @param effectiveWeight after failures and slow start
 * @param currentWeight the running sum of smooth weighted round robin
 * @param conns attempts in progress
 * @param maxConns their limit, 0 for none
 * @param fails counted towards {@code max_fails} now
 * @param idle cached connections
 * @param unavailableForNanos how much longer failures keep it out; 0 if they do not
 * @param selectedAgoNanos since it was last picked, -1 for never
 * @param stateChangedAgoNanos since {@code state} changed last, or the peer was added
 */
public record PeerSnapshot(
        int id,
        String server,
        String address,
        boolean backup,
        AdminState adminState,
        PeerState state,
        boolean eligible,
        Set<PeerReason> reasons,
        int warmedPercent,
        int weight,
        int effectiveWeight,
        long currentWeight,
        int conns,
        int maxConns,
        int fails,
        int idle,
        PeerTotals totals,
        long unavailableForNanos,
        long selectedAgoNanos,
        long stateChangedAgoNanos) {}
