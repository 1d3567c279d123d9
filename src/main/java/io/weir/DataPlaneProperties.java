package io.weir;

import io.weir.proxy.http.HttpDecoders;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.nio.file.Path;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How the data plane runs. The texts are those of docs/configuration.md.
 *
 * @param threads event loops that carry the traffic; 0 for one on each processor
 * @param httpDecoder who takes the bytes of HTTP/1 apart: "strict" is Weir's own, "netty" is Netty's codec, which is slower and a little
 *     more lenient
 * @param shutdownDelay how long listeners go on when Weir is told to stop and is no longer ready, so that whoever sends traffic can turn
 *     elsewhere
 * @param shutdownTimeout how long requests in progress may take when Weir stops; what is left then is cut, and has up to a second
 *     to take its last answer
 * @param tempDir folder of temporary files, for bodies too large for memory
 */
@Validated
@ConfigurationProperties(prefix = "weir.data-plane", ignoreUnknownFields = false)
record DataPlaneProperties(
        @DefaultValue("0") @Min(0) @Max(MOST_THREADS) int threads,
        @DefaultValue("strict") HttpDecoders httpDecoder,

        @DefaultValue("0s") @DurationMin @DurationMax(days = 1)
        Duration shutdownDelay,

        @DefaultValue("30s") @DurationMin @DurationMax(days = 1)
        Duration shutdownTimeout,

        @DefaultValue("./data/tmp") Path tempDir) {

    /** Far beyond any machine: a slip of the keyboard would take all memory. */
    private static final int MOST_THREADS = 1024;

    int threadsOrProcessors() {
        return threads > 0 ? threads : Runtime.getRuntime().availableProcessors();
    }
}
