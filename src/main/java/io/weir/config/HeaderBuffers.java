package io.weir.config;

/**
 * How long a request head may be: its first line and each of its fields as one buffer, all of it as all of them.
 *
 * @param count 1 to 64
 * @param size 512 bytes to 1m
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_core_module.html#large_client_header_buffers">nginx</a>
 */
public record HeaderBuffers(int count, ByteSize size) {

    public static final HeaderBuffers DEFAULT = new HeaderBuffers(4, ByteSize.of(8 * 1024));

    public HeaderBuffers {
        new Checks()
                .range("count", count, 1, 64)
                .size("size", size, 512, 1 << 20)
                .done();
    }

    /** Most bytes of the request line, and of one field. */
    public int maxLine() {
        return (int) size.bytes();
    }

    /** Most bytes of all lines. */
    public int maxHead() {
        return count * maxLine();
    }
}
