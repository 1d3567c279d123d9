package io.weir.proxy.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CookiesTest {

    private static String find(String... lines) {
        HttpHeaders headers = new DefaultHttpHeaders();
        for (String line : lines) {
            headers.add("Cookie", line);
        }
        return Cookies.find(NettyHeads.of(headers), "srv");
    }

    /** What nginx 1.22 answers with {@code return 200 "[$cookie_srv]"}. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "srv=a | [a]",
                "srv= a | [a]",
                "srv =a | [a]",
                "x=1,srv=a | [a]",
                "x=1; srv=a | [a]",
                "x=1;srv=a;srv=b | [a]",
                "SRV=a | [a]",
                "srv=a ; b=1 | [a ]",
                "srv=a,b | [a,b]",
                "srv;srv=a | []",
                "xsrv=a | []",
                "srv | []",
                "srv= | []"
            })
    void asNginxReadsThem(String line, String expected) {
        assertThat("[" + find(line) + "]").isEqualTo(expected);
    }

    @Test
    void severalFieldsAreSearchedInTheirOrder() {
        assertThat(find("x=1", "srv=a", "srv=b")).isEqualTo("a");
    }
}
