/**
 * Upstream groups, their servers and their peers in the REST API.
 */
@NullMarked
package io.weir.control.upstream;

import org.jspecify.annotations.NullMarked;
