package io.weir.control.store;

import io.weir.control.state.ConfigState;

/** A configuration and the version that it has in the database. */
public record Stored(Version version, ConfigState state) {

    public static final Stored NOTHING = new Stored(Version.NONE, ConfigState.EMPTY);

    public long revision() {
        return version.revision();
    }
}
