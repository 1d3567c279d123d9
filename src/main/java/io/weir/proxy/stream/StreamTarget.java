package io.weir.proxy.stream;

import io.weir.upstream.UpstreamGroup;
import org.jspecify.annotations.Nullable;

/**
 * Where a session goes.
 *
 * @param route the name of the route that says so; null if the listener itself does
 */
record StreamTarget(@Nullable String route, UpstreamGroup group) {}
