/**
 * The nodes that share one database, as they tell of themselves. Plain Java, in memory; start at
 * {@link io.weir.control.node.Nodes}.
 */
@NullMarked
package io.weir.control.node;

import org.jspecify.annotations.NullMarked;
