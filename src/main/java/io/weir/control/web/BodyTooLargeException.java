package io.weir.control.web;

/** A request body is larger than any configuration may be. */
final class BodyTooLargeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    BodyTooLargeException(int most) {
        super("the body must be at most " + most + " bytes");
    }
}
