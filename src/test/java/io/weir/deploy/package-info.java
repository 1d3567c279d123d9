/** Tests of what Weir is delivered in: the image, docker-compose.yml and the chart. They need no engine and no cluster. */
@NullMarked
package io.weir.deploy;

import org.jspecify.annotations.NullMarked;
