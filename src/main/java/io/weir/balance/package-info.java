/**
 * Balancing methods, one per file: which peer is next.
 *
 * <p>A method chooses and changes weights, and does nothing else. The caller holds the zone lock, so a method is
 * single-threaded code, a loop over peers; it never blocks. The time comes in with the {@code Selection}, chance as a
 * {@link java.util.random.RandomGenerator} in the constructor.
 *
 * <p>Start with {@code BalancingMethod}, the contract, {@code Selection}, the inputs of one attempt and the one place
 * that says who is eligible, and {@code BalancingMethods}, where each method has its line.
 *
 * <p>Plain Java; knows {@code zone} and {@code config}.
 */
@NullMarked
package io.weir.balance;

import org.jspecify.annotations.NullMarked;
