/**
 * What this node is and does, in the REST API.
 */
@NullMarked
package io.weir.control.status;

import org.jspecify.annotations.NullMarked;
