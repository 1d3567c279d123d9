/**
 * * What all of the REST API shares: strict JSON, versions, problem details.
 */
@NullMarked
package io.weir.control.web;

import org.jspecify.annotations.NullMarked;
