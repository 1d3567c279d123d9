package io.weir.config;

import java.util.Locale;

/** What a listener takes from its clients. */
public enum ListenerProtocol {
    HTTP,
    TCP,
    UDP;

    /** As operators write it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether its sockets are those of UDP, which take no port from those of TCP. */
    public boolean isDatagram() {
        return this == UDP;
    }

    /** What the groups must be that it may hand its clients to. */
    public GroupProtocol group() {
        return this == HTTP ? GroupProtocol.HTTP : GroupProtocol.STREAM;
    }
}
