package io.weir.config;

import org.jspecify.annotations.Nullable;

/**
 * What becomes of a response that comes faster than the client takes it; the defaults and bounds are nginx's.
 *
 * @param enabled whether the server is read from while the client falls behind; otherwise it waits for the client
 * @param bufferSize more memory on top of {@code buffers}, and all of it without buffering
 * @param buffers the memory of one response
 * @param busyBuffersSize how much of a response that is in a file waits in memory to be sent, at the most
 * @param maxTempFileSize greatest size of the file; 0 for no file
 * @param limitRate bytes a second that are read from the server, 0 for no limit; with buffering only
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering">proxy_buffering</a>
 */
public record ResponseBuffering(
        boolean enabled,
        ByteSize bufferSize,
        Buffers buffers,
        ByteSize busyBuffersSize,
        ByteSize maxTempFileSize,
        ByteSize limitRate) {

    private static final long MOST = 1 << 30;

    /** So many, of that size each. */
    public record Buffers(int count, ByteSize size) {

        public Buffers {
            new Checks()
                    .range("count", count, 2, 1_000_000)
                    .size("size", size, 1, MOST)
                    .done();
        }

        long bytes() {
            return count * size.bytes();
        }
    }

    public static final ResponseBuffering DEFAULT = of(
            true,
            ByteSize.parse("8k"),
            new Buffers(8, ByteSize.parse("8k")),
            null,
            ByteSize.parse("1g"),
            ByteSize.parse("0"));

    public ResponseBuffering {
        long most = Math.max(bufferSize.bytes(), buffers.size().bytes());
        long busy = busyBuffersSize.bytes();
        long temp = maxTempFileSize.bytes();
        new Checks()
                .size("bufferSize", bufferSize, 1, MOST)
                .check(busy >= most, "busyBuffersSize", "must be at least bufferSize and buffers.size")
                .check(
                        busy <= buffers.bytes() - buffers.size().bytes(),
                        "busyBuffersSize",
                        "must be at most all buffers but one; the default is twice the larger of bufferSize and"
                                + " buffers.size")
                .check(
                        temp == 0 || temp >= most,
                        "maxTempFileSize",
                        "must be 0, or at least bufferSize and buffers.size")
                .done();
    }

    /** @param busyBuffersSize null for twice the larger of {@code bufferSize} and one buffer */
    public static ResponseBuffering of(
            boolean enabled,
            ByteSize bufferSize,
            Buffers buffers,
            @Nullable ByteSize busyBuffersSize,
            ByteSize maxTempFileSize,
            ByteSize limitRate) {
        ByteSize busy = busyBuffersSize != null ? busyBuffersSize : standardBusySize(bufferSize, buffers.size());
        return new ResponseBuffering(enabled, bufferSize, buffers, busy, maxTempFileSize, limitRate);
    }

    /** nginx's {@code proxy_busy_buffers_size} where it is not given: twice the larger of the two. */
    public static ByteSize standardBusySize(ByteSize bufferSize, ByteSize buffer) {
        return ByteSize.of(2 * Math.max(bufferSize.bytes(), buffer.bytes()));
    }

    /** Bytes of memory that one response may take. */
    public long memory() {
        return buffers.bytes() + bufferSize.bytes();
    }
}
