package io.weir.proxy.stream;

import io.weir.config.StreamListenerConfig;
import org.jspecify.annotations.Nullable;

/**
 * What sessions of a listener follow that begin now; each keeps to it until its end, whatever changes. Immutable.
 *
 * @param log null for none
 */
public record StreamRules(
        StreamListenerConfig config,
        StreamRoutes routes,
        ListenerCounts counts,
        @Nullable SessionLog log) {}
