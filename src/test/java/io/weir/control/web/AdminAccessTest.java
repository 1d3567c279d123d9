package io.weir.control.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class AdminAccessTest {

    private static final String UPSTREAMS = "/api/v1/upstreams";
    private static final int PASSED = 200;

    @ParameterizedTest
    @ValueSource(strings = {"", "0.0.0.0", "::", "192.0.2.1", "no.such.host.invalid"})
    void openToOthersAndWithoutATokenItDoesNotStart(String address) {
        assertThatThrownBy(() -> new AdminAccess("", address)).isInstanceOf(OpenControlPlaneException.class);
        assertThatCode(() -> new AdminAccess("secret", address)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.0.0.2", "::1", "localhost"})
    void onLoopbackItNeedsNoToken(String address) throws Exception {
        assertThat(status(new AdminAccess("", address), request("DELETE", UPSTREAMS)))
                .isEqualTo(PASSED);
    }

    @ParameterizedTest
    @CsvSource({
        "Bearer secret, 200",
        "bearer secret, 200",
        "Bearer secret2, 401",
        "Bearer secre, 401",
        "Bearer, 401",
        "Basic secret, 401",
        "secret, 401",
        ", 401",
    })
    void withATokenEveryRequestMustSendIt(String authorization, int status) throws Exception {
        AdminAccess access = new AdminAccess("secret", "0.0.0.0");
        for (String path : new String[] {
            UPSTREAMS, "/v3/api-docs", "/swagger-ui/index.html", "/actuator/prometheus", "/actuator/healthy", "/"
        }) {
            MockHttpServletRequest request = request("GET", path);
            if (authorization != null) {
                request.addHeader("Authorization", authorization);
            }
            assertThat(status(access, request)).as(path).isEqualTo(status);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/actuator/health", "/actuator/health/liveness", "/actuator/health/readiness"})
    void healthIsOpenToAll(String path) throws Exception {
        assertThat(status(new AdminAccess("secret", "0.0.0.0"), request("GET", path)))
                .isEqualTo(PASSED);
    }

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
        for (String token : new String[] {"", "secret"}) {
            MockHttpServletRequest request = request(method, UPSTREAMS);
            request.addHeader(header, value);
            request.addHeader("Authorization", "Bearer secret");
            assertThat(status(new AdminAccess(token, "127.0.0.1"), request)).isEqualTo(status);
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
    void withoutATokenANameThatOthersCanPointHereIsRefused(String host, int status) throws Exception {
        MockHttpServletRequest open = new MockHttpServletRequest("GET", UPSTREAMS);
        open.addHeader("Host", host);
        assertThat(status(new AdminAccess("", "127.0.0.1"), open)).isEqualTo(status);
        MockHttpServletRequest authorized = new MockHttpServletRequest("GET", UPSTREAMS);
        authorized.addHeader("Host", host);
        authorized.addHeader("Authorization", "Bearer secret");
        assertThat(status(new AdminAccess("secret", "127.0.0.1"), authorized)).isEqualTo(PASSED);
    }

    @Test
    void aRefusalIsAProblemThatSaysWhatToSend() throws Exception {
        MockHttpServletResponse response = new MockHttpServletResponse();
        new AdminAccess("secret", "0.0.0.0").doFilter(request("GET", UPSTREAMS), response, (request, answer) -> {});
        assertThat(response.getContentType()).isEqualTo("application/problem+json");
        assertThat(response.getHeader("WWW-Authenticate")).startsWith("Bearer");
        assertThat(response.getContentAsString())
                .contains("\"code\":\"UNAUTHORIZED\"")
                .doesNotContain("secret");
    }

    private static MockHttpServletRequest request(String method, String path) {
        MockHttpServletRequest request = new MockHttpServletRequest(method, path);
        request.setServletPath(path);
        request.addHeader("Host", "localhost:8080");
        return request;
    }

    private static int status(AdminAccess access, MockHttpServletRequest request) throws Exception {
        MockHttpServletResponse response = new MockHttpServletResponse();
        AtomicBoolean passed = new AtomicBoolean();
        access.doFilter(request, response, (r, a) -> passed.set(true));
        return passed.get() ? PASSED : response.getStatus();
    }
}
