package io.weir.zone;

/**
 * What a server has to do, over all its peers.
 *
 * @param conns attempts in progress
 * @param requests attempts since its peers were added
 */
public record ServerLoad(int conns, long requests) {

    public static final ServerLoad NONE = new ServerLoad(0, 0);
}
