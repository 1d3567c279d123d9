package io.weir.control.drain;

/**
 * Which server is meant.
 *
 * @param upstream the name of its group
 * @param id its own
 */
public record ServerKey(String upstream, int id) {

    @Override
    public String toString() {
        return "upstream " + upstream + ", server " + id;
    }
}
