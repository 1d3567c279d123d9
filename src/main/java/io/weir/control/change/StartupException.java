package io.weir.control.change;

/** What should run from the start cannot. */
final class StartupException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StartupException(String message, RuntimeException cause) {
        super(message, cause);
    }
}
