package io.weir.control.listener;

import io.weir.config.AccessLogConfig;
import io.weir.config.AccessLogConfig.Escape;
import io.weir.config.ByteSize;
import io.weir.config.InvalidConfigException;
import io.weir.config.LogRotation;
import io.weir.control.web.Fields;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads where a client wants requests to be logged. */
final class AccessLogRequest {

    private AccessLogRequest() {}

    /** What is wrong is in the checks of {@code fields}, and {@code standard} is read in its place. */
    static AccessLogConfig read(@Nullable Fields fields, AccessLogConfig standard) {
        if (fields == null) {
            return standard;
        }
        String path = fields.text("path", standard.path());
        String format = fields.text("format", standard.format());
        Escape escape = fields.parsed("escape", standard.escape(), AccessLogRequest::escape);
        LogRotation rotate = rotate(fields.object("rotate"));
        fields.end();
        AccessLogConfig read =
                fields.checks().attempt(fields.path(), () -> new AccessLogConfig(path, format, escape, rotate));
        return read == null ? standard : read;
    }

    private static @Nullable LogRotation rotate(@Nullable Fields fields) {
        if (fields == null) {
            return null;
        }
        LogRotation standard = LogRotation.DEFAULT;
        ByteSize size = fields.parsed("size", standard.size(), ByteSize::parse);
        boolean daily = fields.flag("daily", standard.daily());
        int keep = fields.integer("keep", standard.keep());
        fields.end();
        return fields.checks().attempt(fields.path(), () -> new LogRotation(size, daily, keep));
    }

    private static Escape escape(String text) {
        for (Escape escape : Escape.values()) {
            if (escape.name().toLowerCase(Locale.ROOT).equals(text)) {
                return escape;
            }
        }
        throw new InvalidConfigException("", "must be default or json");
    }
}
