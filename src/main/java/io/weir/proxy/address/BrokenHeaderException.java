package io.weir.proxy.address;

/** Bytes that are no header of the PROXY protocol. */
final class BrokenHeaderException extends Exception {

    private static final long serialVersionUID = 1L;

    private final String reason;

    BrokenHeaderException(String reason) {
        // anybody can send such bytes, as many as they like: no stack trace
        super(reason, null, false, false);
        this.reason = reason;
    }

    String reason() {
        return reason;
    }
}
