package io.weir.balance;

import io.weir.config.RequestValues;
import org.jspecify.annotations.Nullable;

/** Where a request is bound to. */
@FunctionalInterface
public interface Hints {

    /**
     * The {@link io.weir.zone.Peer#sid} that the request asks for; null if it asks for none. On the thread of the request,
     * without the zone lock.
     */
    @Nullable
    String of(RequestValues request);
}
