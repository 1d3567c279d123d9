package io.weir.control.store;

/**
 * A row of a list, found by its name and kept in order by its position.
 *
 * @param <C> what it holds
 */
interface PlacedRow<C> {

    String name();

    int position();

    void update(C config, long revision, int position);
}
