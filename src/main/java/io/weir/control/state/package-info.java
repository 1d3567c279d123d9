/**
 * The configuration as the control plane keeps it: with revisions, addresses of its parts, and differences. Plain Java.
 */
@NullMarked
package io.weir.control.state;

import org.jspecify.annotations.NullMarked;
