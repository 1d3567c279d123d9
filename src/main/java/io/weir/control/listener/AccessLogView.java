package io.weir.control.listener;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.config.AccessLogConfig;
import io.weir.config.LogRotation;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Where requests are logged, as the API shows it. */
@Schema(name = "AccessLog", description = "Where requests are logged, and how; one line each.")
@JsonInclude(JsonInclude.Include.NON_NULL)
record AccessLogView(
        @Schema(
                description = "A file, relative to the working directory of Weir or absolute; stdout; or off.",
                defaultValue = "off")
        String path,

        @Schema(
                description =
                        "combined, json, or text with variables such as $remote_addr $status. Of tcp and udp: basic in"
                                + " place of combined, which is the default there.",
                defaultValue = "combined")
        String format,

        @Schema(
                description = "How values are escaped in a format of variables.",
                allowableValues = {"default", "json"},
                defaultValue = "default")
        String escape,

        @Schema(description = "When a new file is begun; without it, never. Not with stdout.") @Nullable
        Rotate rotate) {

    /** When a new file is begun. */
    @Schema(name = "LogRotation", description = "When the file is renamed to .1 and a new one is begun.")
    record Rotate(
            @Schema(description = "Greatest size of the file, 128k or more; 0 for no limit.", defaultValue = "100m")
            String size,

            @Schema(description = "Whether each day begins a new file.", defaultValue = "false")
            boolean daily,

            @Schema(description = "Number of older files that are kept, 1 to 1000.", defaultValue = "10")
            int keep) {

        static @Nullable Rotate of(@Nullable LogRotation rotate) {
            return rotate == null ? null : new Rotate(rotate.size().text(), rotate.daily(), rotate.keep());
        }
    }

    static AccessLogView of(AccessLogConfig config) {
        return new AccessLogView(
                config.path(),
                config.format(),
                config.escape().name().toLowerCase(Locale.ROOT),
                Rotate.of(config.rotate()));
    }
}
