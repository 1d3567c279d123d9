package io.weir.proxy.http;

import io.weir.config.ErrorPage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The error pages of a route, compiled. Immutable. */
final class ErrorPages {

    /**
     * One of them.
     *
     * @param status null for that of the error
     */
    record Page(Text body, String contentType, @Nullable Integer status) {}

    private final Map<Integer, Page> byCode = new HashMap<>();

    ErrorPages(List<ErrorPage> pages) {
        for (ErrorPage page : pages) {
            Page compiled = new Page(Text.compile(page.body()), page.contentType(), page.status());
            page.codes().forEach(code -> byCode.put(code, compiled));
        }
    }

    /** The page for an error; null if it has none. */
    @Nullable
    Page of(int code) {
        return byCode.get(code);
    }
}
