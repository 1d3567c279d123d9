package io.weir.control.upstream;

/**
 * Bodies and names of the OpenAPI document. Sent in its order, each as it stands, all succeed: {@code app} and one group
 * for each method by hash are made and stay, {@code app-v2} is made and removed.
 */
final class Examples {

    static final String UPSTREAM = "app";
    static final String OTHER_UPSTREAM = "app-v2";
    static final String SERVER = "127.0.0.1:9001";
    static final String OTHER_SERVER = "127.0.0.1:9004";

    static final String CREATE_UPSTREAM = """
            {"name": "app",
             "balancing": {"method": "round_robin"},
             "servers": [{"address": "127.0.0.1:9001", "weight": 5}, {"address": "127.0.0.1:9002"}]}
            """;

    static final String PUT_UPSTREAM = """
            {"balancing": {"method": "least_time", "by": "header"},
             "sticky": {"type": "cookie", "name": "srv", "expires": "1h", "path": "/", "httpOnly": true},
             "keepalive": {"connections": 64},
             "servers": [{"address": "127.0.0.1:9001", "maxConns": 100}, {"address": "127.0.0.1:9002", "backup": true}]}
            """;

    static final String PATCH_UPSTREAM = """
            {"balancing": {"method": "least_conn"}}
            """;

    static final String PUT_SERVERS = """
            {"items": [
              {"id": 1, "address": "127.0.0.1:9001", "weight": 5},
              {"address": "127.0.0.1:9002", "maxFails": 3, "failTimeout": "30s"}]}
            """;

    static final String ADD_SERVER = """
            {"address": "127.0.0.1:9003", "weight": 2, "slowStart": "30s"}
            """;

    static final String PUT_SERVER = """
            {"weight": 3, "state": "down"}
            """;

    static final String PATCH_SERVER = """
            {"weight": 1}
            """;

    static final String DRAIN = """
            {"timeout": "5m", "then": "keep"}
            """;

    static final String CREATE_IP_HASH = """
            {"name": "by-address", "balancing": {"method": "ip_hash"},
             "servers": [{"address": "127.0.0.1:9001"}, {"address": "127.0.0.1:9002"}]}
            """;

    static final String CREATE_HASH = """
            {"name": "by-uri", "balancing": {"method": "hash", "key": "$request_uri"},
             "servers": [{"address": "127.0.0.1:9001"}, {"address": "127.0.0.1:9002"}]}
            """;

    static final String CREATE_CONSISTENT = """
            {"name": "cache", "balancing": {"method": "hash", "key": "$request_uri", "consistent": true},
             "servers": [{"address": "127.0.0.1:9001"}, {"address": "127.0.0.1:9002"}]}
            """;

    static final String CREATE_STREAM = """
            {"name": "echo", "protocol": "stream", "balancing": {"method": "least_conn"},
             "servers": [{"address": "127.0.0.1:7001"}, {"address": "127.0.0.1:7002"}]}
            """;

    static final String CREATE_STREAM_LEAST_TIME = """
            {"name": "db", "protocol": "stream", "balancing": {"method": "least_time", "by": "connect"},
             "servers": [{"address": "127.0.0.1:5432"}, {"address": "127.0.0.1:5433", "backup": true}]}
            """;

    static final String CREATE_STREAM_HASH = """
            {"name": "dns", "protocol": "stream",
             "balancing": {"method": "hash", "key": "$remote_addr", "consistent": true},
             "servers": [{"address": "127.0.0.1:5301"}, {"address": "127.0.0.1:5302"}]}
            """;

    static final String PUT_RANDOM = """
            {"balancing": {"method": "random"},
             "servers": [{"address": "127.0.0.1:9001"}, {"address": "127.0.0.1:9002"}]}
            """;

    static final String PUT_RANDOM_TWO = """
            {"balancing": {"method": "random", "two": true, "by": "least_conn"},
             "servers": [{"address": "127.0.0.1:9001"}, {"address": "127.0.0.1:9002"}]}
            """;

    static final String PUT_STICKY_ROUTE = """
            {"sticky": {"type": "route", "values": ["$cookie_route", "$arg_route"]},
             "servers": [{"address": "127.0.0.1:9001", "route": "a"}, {"address": "127.0.0.1:9002", "route": "b"}]}
            """;

    static final String PUT_STICKY_LEARN = """
            {"sticky": {"type": "learn", "create": "$upstream_cookie_sid", "lookup": "$cookie_sid"},
             "servers": [{"address": "127.0.0.1:9001"}, {"address": "127.0.0.1:9002"}]}
            """;

    static final String PATCH_METHOD = """
            {"balancing": {"method": "least_time", "by": "last_byte"}}
            """;

    static final String PATCH_STICKY = """
            {"sticky": {"type": "cookie", "name": "srv", "expires": "1h"}}
            """;

    static final String PATCH_NOT_STICKY = """
            {"sticky": null}
            """;

    private Examples() {}
}
