package io.weir.control.store;

import java.nio.file.Path;

/** The file of the last good configuration cannot be used. */
public final class LastGoodException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    LastGoodException(Path file, String why, Throwable cause) {
        super("the last good configuration in " + file + " cannot be used: " + why, cause);
    }

    LastGoodException(Path file, String why) {
        super("the last good configuration in " + file + " cannot be used: " + why);
    }
}
