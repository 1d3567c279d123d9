package io.weir.control.access;

import org.springframework.security.core.AuthenticationException;

/** Somebody else's password is being checked. */
final class BusyException extends AuthenticationException {

    private static final long serialVersionUID = 1L;

    BusyException() {
        super("another password is being checked");
    }
}
