package io.weir.control.web;

/** Media types that Spring has no name for. */
public final class MediaTypes {

    public static final String MERGE_PATCH = "application/merge-patch+json";

    private MediaTypes() {}
}
