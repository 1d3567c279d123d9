/**
 * Weir: a load balancer that an operator changes while it carries traffic.
 *
 * <p>This package holds the main class and the wiring, and is the only code that knows all the rest; nothing depends on
 * it. Below it, two planes stand around a small kernel of plain Java:
 *
 * <ul>
 *   <li>kernel: {@code config} (what was asked for), {@code zone} (what is true now), {@code balance} (who is next),
 *       {@code upstream} (one attempt, retries, kept connections);
 *   <li>data plane: {@code proxy}; control plane: {@code control}; and {@code metrics}. These three never see each
 *       other.
 * </ul>
 *
 * <p>Start with {@link io.weir.LoadBalancerApplication}. {@code ArchitectureTest} holds the arrows between packages.
 */
@NullMarked
package io.weir;

import org.jspecify.annotations.NullMarked;
