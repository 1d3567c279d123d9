package io.weir.control.store;

/** Another node has changed what is stored. Nothing has been changed by the call that threw it. */
public final class OvertakenException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    OvertakenException(Version expected) {
        super("the stored configuration is no longer at revision " + expected.revision());
    }
}
