package io.weir.config;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a client gets in place of an error.
 *
 * <p>Differs from nginx: it is a text and not another location.
 *
 * @param codes that it stands for, 300 to 599 but 499, each once among the pages of a route
 * @param status that it is sent with, 200 to 599; null for that of the error
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_core_module.html#error_page">error_page</a>
 */
public record ErrorPage(
        List<Integer> codes,
        Template body,
        String contentType,
        @Nullable Integer status) {

    public ErrorPage {
        codes = List.copyOf(codes);
        Checks checks = new Checks().check(!codes.isEmpty(), "codes", "must have at least one");
        for (int i = 0; i < codes.size(); i++) {
            // 499 is for the log alone: there is nobody to get an answer
            checks.check(codes.get(i) != 499, "codes[" + i + "]", "must not be 499")
                    .range("codes[" + i + "]", codes.get(i), 300, 599);
        }
        if (status != null) {
            checks.range("status", status, 200, 599);
        }
        checks.check(body.text().length() <= 65_536, "body", "must be at most 65536 characters")
                .check(
                        !contentType.isEmpty() && HttpSyntax.isFieldValue(contentType),
                        "contentType",
                        "must be a media type")
                .done();
    }

    /** Each code has one page. */
    static void checkCodes(Checks checks, List<ErrorPage> pages) {
        Set<Integer> seen = new HashSet<>();
        for (int p = 0; p < pages.size(); p++) {
            List<Integer> codes = pages.get(p).codes();
            for (int c = 0; c < codes.size(); c++) {
                checks.check(seen.add(codes.get(c)), "errorPages[" + p + "].codes[" + c + "]", "stands twice");
            }
        }
    }
}
