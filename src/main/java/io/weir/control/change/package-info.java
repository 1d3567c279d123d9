/**
 * The one way to change the configuration. Start at {@link io.weir.control.change.Configuration}.
 */
@NullMarked
package io.weir.control.change;

import org.jspecify.annotations.NullMarked;
