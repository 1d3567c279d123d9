/**
 * Listeners and their routes in the REST API.
 */
@NullMarked
package io.weir.control.listener;

import org.jspecify.annotations.NullMarked;
