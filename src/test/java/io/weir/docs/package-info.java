/** Tests of the documents. */
@NullMarked
package io.weir.docs;

import org.jspecify.annotations.NullMarked;
