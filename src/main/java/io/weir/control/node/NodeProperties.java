package io.weir.control.node;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * This node among those on the same database. The texts are those of docs/configuration.md.
 *
 * @param name what this node is called in GET /api/v1/nodes; the name of the host if not set
 * @param lastGood with PostgreSQL: where the configuration that runs is kept for a start without the database; one file belongs to one
 *     Weir
 */
@ConfigurationProperties(prefix = "weir.node", ignoreUnknownFields = false)
public record NodeProperties(
        @Nullable String name,
        @DefaultValue("./data/last-good.json") Path lastGood) {}
