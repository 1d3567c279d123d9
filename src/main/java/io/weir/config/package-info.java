/**
 * What the operator asked for: immutable records, validated once.
 *
 * <p>Compact constructors check, so a record that exists is valid on its own; what is wrong is reported as {@code
 * InvalidConfigException} with the path of the value. Times are {@link java.time.Duration}. A change is first prepared,
 * which checks it and may refuse it while nothing visible changes, and then committed, which swaps it in.
 *
 * <p>Start with {@code ProxyConfig}, the whole configuration, and {@code ActiveConfig}, the current one and who is told
 * of the next.
 *
 * <p>Plain Java; knows no other package of ours. Spring's {@code @Configuration} classes live in the root package.
 */
@NullMarked
package io.weir.config;

import org.jspecify.annotations.NullMarked;
