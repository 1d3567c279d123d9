package io.weir.control.store;

import io.weir.config.StickyConfig;
import org.jspecify.annotations.Nullable;

/** The types of affinity as a column knows them. */
final class StoredSticky {

    private static final String NONE = "";
    private static final String COOKIE = "cookie";
    private static final String ROUTE = "route";
    private static final String LEARN = "learn";

    private StoredSticky() {}

    static String type(@Nullable StickyConfig config) {
        if (config instanceof StickyConfig.Cookie) {
            return COOKIE;
        }
        return config instanceof StickyConfig.Route ? ROUTE : config == null ? NONE : LEARN;
    }

    static String write(@Nullable StickyConfig config) {
        return config == null ? "{}" : StoredJson.write(config);
    }

    static @Nullable StickyConfig read(String type, String json) {
        return switch (type) {
            case NONE -> null;
            case COOKIE -> StoredJson.read(json, StickyConfig.Cookie.class);
            case ROUTE -> StoredJson.read(json, StickyConfig.Route.class);
            case LEARN -> StoredJson.read(json, StickyConfig.Learn.class);
            default -> throw new IllegalStateException("no such affinity: " + type);
        };
    }
}
