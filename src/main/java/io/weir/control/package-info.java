/**
 * The control plane: the REST API over what is stored, one folder per feature.
 *
 * <p>Start at {@link io.weir.control.change.Configuration}, through which every write goes: it is stored, then applied, then
 * answered. Features are {@code upstream}, {@code drain}, {@code listener} and {@code status}; what they share is in {@code state},
 * {@code store}, {@code node}, {@code change}, {@code web} and {@code openapi}.
 *
 * <p>It publishes a configuration and reads snapshots, and touches nothing else of the running side. There are four shapes
 * and one hub: REST record to and from config record, config record to and from JPA entity; a REST record never meets an
 * entity.
 *
 * <p>Knows {@code upstream}, {@code zone} and {@code config}, Spring MVC, Spring Data JPA, validation and springdoc; no
 * Netty, Reactor or Micrometer.
 */
@NullMarked
package io.weir.control;

import org.jspecify.annotations.NullMarked;
