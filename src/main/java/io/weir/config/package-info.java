/**
 * What the operator asked for: immutable records, checked once when they are made.
 *
 * <p>Start at {@link io.weir.config.ProxyConfig}, which holds all the rest, and {@link io.weir.config.ActiveConfig}, which
 * changes the one that runs. Knows nothing but the JDK.
 */
@NullMarked
package io.weir.config;

import org.jspecify.annotations.NullMarked;
