package io.weir.control.web;

import java.util.List;

/** A list and the revision at which it was like this. */
public record ListView<T>(List<T> items, long revision) {}
