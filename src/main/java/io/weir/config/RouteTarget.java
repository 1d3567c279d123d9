package io.weir.config;

/** Where the requests of a route go. */
public sealed interface RouteTarget {

    /** To the servers of an upstream group. */
    record Upstream(String name) implements RouteTarget {}

    /**
     * To an address nobody declared as a group: one peer for each IP address it has, with default parameters and no
     * connection cache.
     *
     * @param url {@code http://host[:port]}; with variables it is worked out for each request, and if its host then is
     *     the name of a group without a port, that group is meant
     */
    record Address(Template url) implements RouteTarget {

        private static final String SCHEME = "http://";

        public Address {
            Checks checks = new Checks();
            if (!url.text().startsWith(SCHEME)) {
                checks.check(false, "", "must begin with http://");
            } else if (url.isConstant()) {
                checks.attempt("", () -> parse(url.text()));
            }
            checks.done();
        }

        /**
         * The address in a url.
         *
         * @throws InvalidConfigException if there is none, with an empty field
         */
        public static ServerAddress parse(String url) {
            String authority = url.startsWith(SCHEME) ? url.substring(SCHEME.length()) : url;
            return ServerAddress.parse(authority, 80);
        }
    }

    /**
     * Answered by the proxy itself.
     *
     * @param status 200 to 599
     */
    record Respond(int status, Template body, String contentType) implements RouteTarget {

        public Respond {
            new Checks()
                    .range("status", status, 200, 599)
                    .check(body.text().length() <= 65_536, "body", "must be at most 65536 characters")
                    .check(
                            !contentType.isEmpty() && HttpSyntax.isFieldValue(contentType),
                            "contentType",
                            "must be a media type")
                    .done();
        }
    }
}
