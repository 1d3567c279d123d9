package io.weir.control.store;

/** The database answers, and this version of Weir can make nothing of what it holds. */
public final class UnreadableException extends StoreException {

    private static final long serialVersionUID = 1L;

    UnreadableException(String message, Throwable cause) {
        super(message, cause);
    }
}
