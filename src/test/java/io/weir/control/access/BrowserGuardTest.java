package io.weir.control.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class BrowserGuardTest {

    private static final int PASSED = 200;

    @ParameterizedTest
    @CsvSource({
        "POST, Origin, http://localhost:8080, 200",
        "POST, Origin, http://LOCALHOST:8080, 200",
        "POST, Origin, http://localhost:8000, 403",
        "POST, Origin, http://evil.example, 403",
        "DELETE, Origin, null, 403",
        "PUT, Origin, localhost:8080, 403",
        "GET, Origin, http://evil.example, 200",
        "PATCH, Sec-Fetch-Site, cross-site, 403",
        "PATCH, Sec-Fetch-Site, same-site, 403",
        "PATCH, Sec-Fetch-Site, same-origin, 200",
        "PATCH, Sec-Fetch-Site, none, 200",
        "GET, Sec-Fetch-Site, cross-site, 200",
    })
    void pagesOfOthersCannotWrite(String method, String header, String value, int status) throws Exception {
        for (boolean namesAreRefused : new boolean[] {true, false}) {
            MockHttpServletRequest request = request(method, "localhost:8080");
            request.addHeader(header, value);
            assertThat(status(new BrowserGuard(namesAreRefused), request)).isEqualTo(status);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "localhost, 200",
        "localhost:8080, 200",
        "weir.localhost:1, 200",
        "127.0.0.1:8080, 200",
        "[::1]:8080, 200",
        "192.0.2.1, 200",
        "evil.example:8080, 403",
        "127.0.0.1.evil.example, 403",
        "localhost.evil.example, 403",
    })
    void withoutCredentialsANameThatOthersCanPointHereIsRefused(String host, int status) throws Exception {
        assertThat(status(new BrowserGuard(true), request("GET", host))).isEqualTo(status);
        assertThat(status(new BrowserGuard(false), request("GET", host))).isEqualTo(PASSED);
    }

    private static MockHttpServletRequest request(String method, String host) {
        MockHttpServletRequest request = new MockHttpServletRequest(method, "/api/v1/upstreams");
        request.addHeader("Host", host);
        return request;
    }

    private static int status(BrowserGuard guard, MockHttpServletRequest request) throws Exception {
        MockHttpServletResponse response = new MockHttpServletResponse();
        AtomicBoolean passed = new AtomicBoolean();
        guard.doFilter(request, response, (r, a) -> passed.set(true));
        return passed.get() ? PASSED : response.getStatus();
    }
}
