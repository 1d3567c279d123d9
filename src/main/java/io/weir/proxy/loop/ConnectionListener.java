package io.weir.proxy.loop;

import io.netty.channel.Channel;

/** A listener whose clients come as connections. */
public interface ConnectionListener extends BoundListener {

    /** Takes over a client that was just accepted, or closes its connection. On its loop, before anything is read. */
    void accept(Channel channel);
}
