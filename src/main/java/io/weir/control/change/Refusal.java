package io.weir.control.change;

/** A request that is well formed and cannot be done as things are. Nothing has been changed when it is thrown. */
public final class Refusal extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Why; each is a {@code code} of the API. */
    public enum Reason {
        NOT_FOUND,
        NAME_TAKEN,
        ADDRESS_TAKEN,
        AMBIGUOUS_ADDRESS,
        IN_USE,
        PRECONDITION_FAILED,
        BUSY
    }

    private final Reason reason;

    public Refusal(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public static Refusal notFound(String what) {
        return new Refusal(Reason.NOT_FOUND, "there is no " + what);
    }

    public Reason reason() {
        return reason;
    }
}
