package io.weir.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where and how a listener logs its requests, one line each.
 *
 * <p>Differs from nginx: the default is {@code off} and not {@code logs/access.log}, see ADR 10.
 *
 * @param path a file, relative to the working directory or absolute; {@code stdout}, or {@code off}
 * @param format {@code combined} for HTTP, {@code basic} for streams, {@code json}, or text with at least one variable
 * @param escape how values are escaped in a format of variables
 * @param rotate when a new file is begun; null if that is left to others, such as logrotate
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_log_module.html">ngx_http_log_module</a>
 */
public record AccessLogConfig(
        String path, String format, Escape escape, @Nullable LogRotation rotate) {

    public static final String OFF = "off";
    public static final String STDOUT = "stdout";
    public static final String COMBINED = "combined";
    public static final String BASIC = "basic";
    public static final String JSON = "json";

    /** Off, and what HTTP listeners get if they turn it on. */
    public static final AccessLogConfig DEFAULT = new AccessLogConfig(OFF, COMBINED, Escape.DEFAULT, null);

    /** Off, and what stream listeners get if they turn it on. */
    public static final AccessLogConfig STREAM_DEFAULT = new AccessLogConfig(OFF, BASIC, Escape.DEFAULT, null);

    /** nginx's predefined format of this name. */
    private static final Template COMBINED_TEMPLATE =
            Template.parseForLog("$remote_addr - $remote_user [$time_local] \"$request\" $status $body_bytes_sent"
                    + " \"$http_referer\" \"$http_user_agent\"");

    /** That of the examples of nginx's ngx_stream_log_module, with the attempts. */
    private static final Template BASIC_TEMPLATE =
            Template.parseForStream("$remote_addr [$time_local] $protocol $status $bytes_sent $bytes_received"
                    + " $session_time \"$upstream_addr\" \"$upstream_bytes_sent\" \"$upstream_bytes_received\""
                    + " \"$upstream_connect_time\"");

    /** What becomes of bytes that could be mistaken for the end of a value. */
    public enum Escape {
        /** Quotes, backslashes, controls and all above 126 as {@code \\xXX}; no value is a hyphen. */
        DEFAULT,
        /** As in a JSON string; no value is empty. */
        JSON
    }

    public AccessLogConfig {
        Checks checks = new Checks();
        if (!path.equals(OFF) && !path.equals(STDOUT)) {
            checks.check(isPath(path), "path", "must be off, stdout or the path of a file without variables");
        }
        // with off it waits for a path to come back
        checks.check(rotate == null || !path.equals(STDOUT), "rotate", "goes with a file, not with stdout");
        if (isVariables(format)) {
            checks.check(format.indexOf('$') >= 0, "format", "must be combined, basic, json or text with variables")
                    .check(HttpSyntax.isFieldValue(format), "format", "must not have control characters");
        } else {
            checks.check(escape == Escape.DEFAULT, "escape", "goes with a format of variables only");
        }
        checks.done();
    }

    private static boolean isPath(String text) {
        if (text.isBlank()
                || text.endsWith("/")
                || text.indexOf('$') >= 0
                || text.chars().anyMatch(c -> c < ' ' || c == 127)) {
            return false;
        }
        try {
            return Path.of(text).getFileName() != null;
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private static boolean isVariables(String format) {
        return !format.equals(COMBINED) && !format.equals(BASIC) && !format.equals(JSON);
    }

    /** Whether anything is logged. */
    public boolean writes() {
        return !path.equals(OFF);
    }

    /** The file, absolute; null if there is none. */
    public @Nullable Path file() {
        return !writes() || path.equals(STDOUT)
                ? null
                : Path.of(path).toAbsolutePath().normalize();
    }

    /**
     * Checks that what a listener of this kind knows is all that is asked for.
     *
     * @throws InvalidConfigException if the format is not for it
     */
    void checkFor(GroupProtocol protocol) {
        boolean streams = protocol == GroupProtocol.STREAM;
        Checks checks = new Checks()
                .check(streams || !format.equals(BASIC), "format", "basic is for tcp and udp")
                .check(!streams || !format.equals(COMBINED), "format", "combined is for http; use basic");
        if (isVariables(format)) {
            Template parsed = checks.attempt(
                    "format", () -> streams ? Template.parseForStream(format) : Template.parseForLog(format));
            checks.check(
                    parsed == null || !parsed.isConstant(),
                    "format",
                    "must be " + (streams ? BASIC : COMBINED) + ", json or text with variables");
        }
        checks.done();
    }

    /** The format as a template, for whom {@link #checkFor} found it right; null if it is JSON, with a structure of its own. */
    public @Nullable Template template() {
        return switch (format) {
            case JSON -> null;
            case COMBINED -> COMBINED_TEMPLATE;
            case BASIC -> BASIC_TEMPLATE;
            default -> Template.parseForAnyLog(format);
        };
    }
}
