package io.weir;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * What the profile "demo" starts.
 *
 * @param firstPort with the profile demo: the port of the first of three backends; the others take the next two
 */
@Validated
@ConfigurationProperties(prefix = "weir.demo", ignoreUnknownFields = false)
record DemoProperties(
        @DefaultValue("9001") @Min(1) @Max(65_533) int firstPort) {}
