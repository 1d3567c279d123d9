package io.weir.zone;

/** Response statuses by their hundreds, as counters know them. */
public final class StatusClass {

    /** 1xx to 5xx. */
    public static final int COUNT = 5;

    private StatusClass() {}

    /**
     * The index of a status: 0 for 1xx to 4 for 5xx.
     *
     * @param status 100 or more; a server that answers 600 or more has got it wrong, which makes it a 5xx
     */
    public static int of(int status) {
        return Math.min(status / 100, COUNT) - 1;
    }

    /** Such as {@code 2xx} for 1. */
    public static String text(int index) {
        return index + 1 + "xx";
    }
}
