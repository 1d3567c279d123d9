package io.weir.control.upstream;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.config.StickyConfig;
import io.weir.config.Template;
import io.weir.config.TimeSpan;
import io.weir.control.web.Fields;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Affinity as the API shows it; each type has fields of its own. */
@Schema(
        name = "Sticky",
        description = "Keeps the requests of one client at one server, whatever the method. Fields of the type alone.")
@JsonInclude(JsonInclude.Include.NON_NULL)
record StickyView(
        @Schema(allowableValues = {"cookie", "route", "learn"})
        String type,

        @Schema(description = "cookie: its name. Added to every response.", example = "srv") @Nullable
        String name,

        @Schema(description = "cookie: how long it lasts, such as 1h, or max; empty for as long as the browser runs.")
        @Nullable
        String expires,

        @Schema(description = "cookie: its Domain.") @Nullable
        String domain,

        @Schema(description = "cookie: its Path.") @Nullable String path,

        @Schema(description = "cookie: whether it is Secure.") @Nullable
        Boolean secure,

        @Schema(description = "cookie: whether it is HttpOnly.") @Nullable
        Boolean httpOnly,

        @Schema(description = "cookie: its SameSite: strict, lax, none, or empty.") @Nullable
        String sameSite,

        @Schema(description = "route: texts with variables; the first that is not empty is the route of the server.")
        @Nullable
        List<String> values,

        @Schema(description = "learn: what tells the new session in a response, such as $upstream_cookie_sid.")
        @Nullable
        String create,

        @Schema(description = "learn: what tells the session in a request, such as $cookie_sid.") @Nullable
        String lookup,

        @Schema(description = "learn: after which an unused session is forgotten; 10m unless told.") @Nullable
        String timeout,

        @Schema(
                description =
                        "learn: whether a session is known from the response head on, not only after the response.")
        @Nullable
        Boolean header,

        @Schema(description = "learn: most sessions, 100000 unless told; then the least recently used is forgotten.")
        @Nullable
        Integer sessions) {

    static final String TYPE = "type";

    private static final String COOKIE = "cookie";
    private static final String ROUTE = "route";
    private static final String LEARN = "learn";
    private static final Template NOTHING = Template.parse("");

    static @Nullable StickyView of(@Nullable StickyConfig config) {
        if (config instanceof StickyConfig.Cookie c) {
            return new StickyView(
                    COOKIE,
                    c.name(),
                    c.expires(),
                    c.domain(),
                    c.path(),
                    c.secure(),
                    c.httpOnly(),
                    c.sameSite(),
                    null,
                    null,
                    null,
                    null,
                    null,
                    null);
        }
        if (config instanceof StickyConfig.Route r) {
            List<String> values = r.values().stream().map(Template::text).toList();
            return new StickyView(
                    ROUTE, null, null, null, null, null, null, null, values, null, null, null, null, null);
        }
        if (config instanceof StickyConfig.Learn l) {
            return new StickyView(
                    LEARN,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    l.create().text(),
                    l.lookup().text(),
                    l.timeout().text(),
                    l.header(),
                    l.sessions());
        }
        return null;
    }

    /** What a client wants; null if nothing, or something that is wrong. */
    static @Nullable StickyConfig read(@Nullable Fields fields) {
        if (fields == null) {
            return null;
        }
        fields.require(TYPE);
        String type = fields.text(TYPE);
        if (type == null) {
            return null;
        }
        StickyConfig config = switch (type) {
            case COOKIE -> cookie(fields);
            case ROUTE -> route(fields);
            case LEARN -> learn(fields);
            default -> {
                fields.fault(TYPE, "must be cookie, route or learn");
                yield null;
            }
        };
        if (config != null) {
            fields.end();
        }
        return config;
    }

    private static @Nullable StickyConfig cookie(Fields fields) {
        fields.require("name");
        String name = fields.text("name", "srv");
        String expires = fields.text("expires", "");
        String domain = fields.text("domain", "");
        String path = fields.text("path", "");
        boolean secure = fields.flag("secure", false);
        boolean httpOnly = fields.flag("httpOnly", false);
        String sameSite = fields.text("sameSite", "");
        return fields.checks()
                .attempt(
                        fields.path(),
                        () -> new StickyConfig.Cookie(name, expires, domain, path, secure, httpOnly, sameSite));
    }

    private static @Nullable StickyConfig route(Fields fields) {
        List<Template> values = fields.parsedTexts("values", List.of(), Template::parse);
        return fields.checks().attempt(fields.path(), () -> new StickyConfig.Route(values));
    }

    private static @Nullable StickyConfig learn(Fields fields) {
        Template create = fields.parsed("create", NOTHING, Template::parse);
        Template lookup = fields.parsed("lookup", NOTHING, Template::parse);
        TimeSpan timeout = fields.parsed("timeout", StickyConfig.Learn.DEFAULT_TIMEOUT, TimeSpan::parse);
        boolean header = fields.flag("header", false);
        int sessions = fields.integer("sessions", StickyConfig.Learn.DEFAULT_SESSIONS);
        return fields.checks()
                .attempt(fields.path(), () -> new StickyConfig.Learn(create, lookup, timeout, header, sessions));
    }
}
