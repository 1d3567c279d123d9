package io.weir.control.store;

/** The database did not take a change or give an answer. Nothing has been changed by the call that threw it. */
public sealed class StoreException extends RuntimeException permits UnreadableException {

    private static final long serialVersionUID = 1L;

    public StoreException(String message) {
        super(message);
    }

    public StoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
