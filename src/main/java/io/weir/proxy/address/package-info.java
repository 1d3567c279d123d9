/**
 * Who a client is when it comes by way of a proxy: headers of the PROXY protocol, and addresses as text.
 *
 * <p>For every protocol that listeners speak. Start with {@code ProxyHeaderDecoder}, which stands first in the pipeline
 * of a connection that begins with such a header.
 *
 * <p>Knows Netty's buffers and channels.
 */
@NullMarked
package io.weir.proxy.address;

import org.jspecify.annotations.NullMarked;
