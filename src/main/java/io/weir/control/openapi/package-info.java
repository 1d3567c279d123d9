/**
 * How the OpenAPI document is made: what the controllers say, plus what holds for every operation.
 */
@NullMarked
package io.weir.control.openapi;

import org.jspecify.annotations.NullMarked;
