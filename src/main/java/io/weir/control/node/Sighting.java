package io.weir.control.node;

import java.time.Duration;
import java.time.Instant;

/**
 * What a node last told.
 *
 * @param at by the clock of the database
 * @param age at the time of the look at the database, by its clock as well
 */
public record Sighting(Node node, Instant at, Duration age) {}
