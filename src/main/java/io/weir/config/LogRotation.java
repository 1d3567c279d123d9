package io.weir.config;

/**
 * When a log file makes room for a new one: {@code access.log} becomes {@code access.log.1}, that becomes
 * {@code access.log.2}, and so on, as logrotate does it.
 *
 * @param size which the file never exceeds; 0 for no limit
 * @param daily whether the first line of a day begins a new file
 * @param keep number of older files, 1 to 1000; what is older still is deleted
 */
public record LogRotation(ByteSize size, boolean daily, int keep) {

    public static final LogRotation DEFAULT = new LogRotation(ByteSize.parse("100m"), false, 10);

    /** Lines are written in batches of about this size, and a file holds at least one. */
    private static final int LEAST_SIZE = 128 * 1024;

    public LogRotation {
        new Checks()
                .check(size.bytes() == 0 || size.bytes() >= LEAST_SIZE, "size", "must be 0 or at least 128k")
                .check(size.bytes() != 0 || daily, "size", "must not be 0 unless daily is true")
                .range("keep", keep, 1, 1000)
                .done();
    }
}
