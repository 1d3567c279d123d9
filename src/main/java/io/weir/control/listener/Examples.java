package io.weir.control.listener;

/**
 * Bodies and names of the OpenAPI document, which follow those of the upstream groups: {@code edge} is made and stays,
 * {@code edge-v2} is made and removed.
 */
final class Examples {

    static final String LISTENER = "edge";
    static final String OTHER_LISTENER = "edge-v2";
    static final String ROUTE = "api";
    static final String OTHER_ROUTE = "health";

    static final String CREATE_LISTENER = """
            {"name": "edge", "bind": "127.0.0.1", "port": 8081}
            """;

    static final String CREATE_TCP = """
            {"name": "echo", "protocol": "tcp", "bind": "127.0.0.1", "port": 8084, "upstream": "echo",
             "proxy": {"timeout": "1h", "halfClose": true, "connectTimeout": "5s"},
             "client": {"access": [{"allow": "127.0.0.0/8"}, {"deny": "all"}], "maxConnectionsPerAddress": 100},
             "accessLog": {"path": "stdout"}}
            """;

    static final String CREATE_PREREAD = """
            {"name": "tls", "protocol": "tcp", "bind": "127.0.0.1", "port": 8085, "sslPreread": true,
             "routes": [{"name": "db", "hosts": ["db.example.com", "*.db.example.com"], "upstream": "db"},
                        {"name": "http2", "alpn": ["h2"], "upstream": "echo"}],
             "upstream": "echo", "proxy": {"proxyProtocol": "v2"}}
            """;

    static final String CREATE_UDP = """
            {"name": "dns", "protocol": "udp", "bind": "127.0.0.1", "port": 8086, "upstream": "echo",
             "proxy": {"requests": 1, "responses": 1, "timeout": "5s"}, "client": {"maxConnections": 10000}}
            """;

    static final String PUT_TCP_PROXY_PROTOCOL = """
            {"protocol": "tcp", "bind": "127.0.0.1", "port": 8082, "upstream": "echo", "proxyProtocol": true,
             "realIp": {"trusted": ["10.0.0.0/8"]}, "proxy": {"proxyProtocol": "v1", "sessionDrop": true},
             "accessLog": {"path": "stdout", "format": "$remote_addr $status $session_time $upstream_addr"}}
            """;

    static final String PUT_LISTENER = """
            {"bind": "127.0.0.1", "port": 8082,
             "accessLog": {"path": "stdout", "format": "json"},
             "routes": [{"name": "all", "respond": {"status": 200, "body": "hello, $remote_addr"}}]}
            """;

    static final String PATCH_LISTENER = """
            {"port": 8083,
             "realIp": {"trusted": ["10.0.0.0/8", "::1"], "header": "X-Forwarded-For", "recursive": true},
             "client": {"headerTimeout": "10s", "maxConnections": 20000, "maxConnectionsPerAddress": 100}}
            """;

    static final String PUT_ROUTES = """
            {"items": [
              {"name": "api", "path": {"type": "prefix", "value": "/api/"}, "upstream": "app"},
              {"name": "rest", "respond": {"status": 404, "body": "nothing here"}}]}
            """;

    static final String CREATE_ROUTE = """
            {"name": "shop", "hosts": ["shop.example.com", "*.example.org"],
             "path": {"type": "prefix", "value": "/cart/"},
             "upstream": "app", "rewritePrefix": "/",
             "proxy": {"readTimeout": "30s", "nextUpstream": ["error", "timeout", "http_503"]},
             "errorPages": [{"codes": [502, 504], "body": "try again, $remote_addr"}],
             "maxBodySize": "8m",
             "requestHeaders": {"set": {"X-Real-IP": "$remote_addr"}},
             "responseHeaders": {"set": {"X-Upstream": "$upstream_addr"}, "remove": ["Server"]}}
            """;

    static final String PUT_ROUTE = """
            {"path": {"type": "exact", "value": "/health"}, "respond": {"status": 200, "body": "ok"}}
            """;

    static final String PATCH_ROUTE = """
            {"methods": ["GET", "HEAD"]}
            """;

    static final String PUT_PROXY_PROTOCOL = """
            {"bind": "127.0.0.1", "port": 8082, "proxyProtocol": true,
             "realIp": {"trusted": ["10.0.0.0/8"], "header": "proxy_protocol"}}
            """;

    static final String PUT_LOG = """
            {"bind": "127.0.0.1", "port": 8082,
             "accessLog": {"path": "stdout", "format": "$remote_addr $status $request_time", "escape": "json"}}
            """;

    static final String PATCH_CLIENT = """
            {"client": {"headerTimeout": "10s", "keepaliveRequests": 10000}}
            """;

    static final String PATCH_LOG = """
            {"accessLog": {"path": "stdout", "format": "combined"}}
            """;

    static final String PATCH_BUFFERING = """
            {"proxy": {"bufferSize": "16k", "buffers": {"count": 16, "size": "16k"}, "maxTempFileSize": "0",
                       "requestBuffering": false}}
            """;

    static final String PATCH_ERROR_PAGES = """
            {"proxy": {"interceptErrors": true},
             "errorPages": [{"codes": [502, 503, 504], "status": 503, "body": "back soon"}]}
            """;

    private Examples() {}
}
