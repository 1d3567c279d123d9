/**
 * Where the configuration is kept: one row per resource, by JPA. Start at {@link io.weir.control.store.ConfigStore}.
 */
@NullMarked
package io.weir.control.store;

import org.jspecify.annotations.NullMarked;
