package io.weir.config;

import java.util.Locale;

/** What a group's servers are sent: requests of HTTP, or the bytes or datagrams of sessions. */
public enum GroupProtocol {
    HTTP,
    STREAM;

    /** As operators write it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
