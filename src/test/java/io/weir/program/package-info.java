/**
 * The whole program as an operator runs it: the packaged jar in a process of its own, real servers behind it, real clients in
 * front. Start at {@link io.weir.program.WeirProcess}.
 *
 * <p>A start takes seconds, so tests that do not mind each other share {@link io.weir.program.WeirProcess#shared}.
 */
package io.weir.program;
