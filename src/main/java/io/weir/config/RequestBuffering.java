package io.weir.config;

/**
 * What becomes of a request's body before it is sent to a server.
 *
 * <p>Differs from nginx: its buffer is 8k or 16k, this one holds a form or an API call whole.
 *
 * @param enabled whether all of the body is read before a server is chosen; otherwise it is passed on as it comes
 * @param bufferSize up to which a body is read into memory, more than 0; a longer one goes to a temporary file
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_request_buffering">
 *     proxy_request_buffering</a>
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_core_module.html#client_body_buffer_size">
 *     client_body_buffer_size</a>
 */
public record RequestBuffering(boolean enabled, ByteSize bufferSize) {

    public static final RequestBuffering DEFAULT = new RequestBuffering(true, ByteSize.parse("64k"));

    public RequestBuffering {
        // an int of bytes is kept in memory, and no sane one comes near
        new Checks().size("requestBufferSize", bufferSize, 1, 1 << 30).done();
    }
}
