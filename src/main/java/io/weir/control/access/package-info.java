/**
 * Who may use the control plane: credentials, and what pages in a browser may do with them.
 *
 * <p>{@link io.weir.control.access.AccessConfiguration} puts it together, by Spring Security. The data plane knows nothing of it.
 */
@NullMarked
package io.weir.control.access;

import org.jspecify.annotations.NullMarked;
