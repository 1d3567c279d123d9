package io.weir.control.change;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The listener that an empty database gets.
 *
 * @param enabled whether an empty database gets a listener "web" without routes
 * @param port its port; read only while the database is empty, later changes are made by the API
 */
@Validated
@ConfigurationProperties(prefix = "weir.first-listener", ignoreUnknownFields = false)
record FirstListenerProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("8000") @Min(1) @Max(65_535) int port) {}
