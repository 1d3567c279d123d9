package io.weir.control.node;

/**
 * That a node could not apply a revision that is stored, so that it goes on with the one before.
 *
 * @param revision that it should run
 * @param reason for people
 */
public record NotApplied(long revision, String reason) {}
