package io.weir.control.change;

/**
 * How a client wants a write to be done.
 *
 * @param dryRun check it and tell what it would change, without doing so
 */
public record Write(boolean dryRun, Precondition precondition) {

    public static final Write NOW = new Write(false, Precondition.NONE);
}
