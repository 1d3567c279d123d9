package io.weir.control.drain;

/** Cuts what is in progress at a server. */
@FunctionalInterface
public interface SessionDropper {

    /**
     * Ends all that this node has in progress at a server, whether the configuration still has that server or not. Returns
     * at once, and the sessions end soon after.
     *
     * @param upstream the name of the group
     * @param serverId the id of the server in it
     */
    void dropSessions(String upstream, int serverId);
}
