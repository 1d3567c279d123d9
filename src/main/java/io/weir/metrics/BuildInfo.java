package io.weir.metrics;

/**
 * Which Weir this is.
 *
 * @param version such as {@code 0.1.0}
 * @param revision of the source, or {@code unknown}
 */
public record BuildInfo(String version, String revision) {}
