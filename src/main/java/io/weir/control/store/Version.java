package io.weir.control.store;

/**
 * Which configuration the database holds.
 *
 * @param revision of the whole, 0 if nothing was ever stored
 * @param change random id of the change that made it. A database that was put back to an older state may come to the same
 *     revision again, and never to the same change
 */
public record Version(long revision, String change) {

    public static final Version NONE = new Version(0, "");
}
