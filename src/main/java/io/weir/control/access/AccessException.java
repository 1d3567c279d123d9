package io.weir.control.access;

/** The control plane cannot be opened with these credentials, or without any. Never holds a secret. */
final class AccessException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    AccessException(String message, String action) {
        super(message);
        this.action = action;
    }

    /** What the operator can do. */
    String action() {
        return action;
    }
}
