package io.weir.proxy.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Targets as nginx normalises them for $uri, and as RFC 9112 section 3.2 allows them. */
class RequestTargetTest {

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                // target, path, query
                "/, /, -",
                "/a/b, /a/b, -",
                "/a?, /a, ''",
                "/a?b=c?d, /a, b=c?d",
                "/a?x=/../y//z%20, /a, x=/../y//z%20",
                "/%41%7a, /Az, -",
                "/a%20b, '/a b', -",
                "/a%2fb, /a/b, -",
                "/a%3Fb, /a?b, -",
                "/a%23b, /a#b, -",
                "/%25, /%, -",
                "/%2541, /%41, -",
                "//, /, -",
                "//a///b//, /a/b/, -",
                "/a%2f%2Fb, /a/b, -",
                "/., /, -",
                "/./a/./b/., /a/b/, -",
                "/a/.., /, -",
                "/a/../, /, -",
                "/a/b/../c, /a/c, -",
                "/a/b/../../c, /c, -",
                "/a/%2e%2E/c, /c, -",
                "/a//../b, /b, -",
                "/.a/..b/c./d.., /.a/..b/c./d.., -",
                "/.../a, /.../a, -",
                "/a;p=1/..;/b, /a;p=1/..;/b, -",
                "/é, /é, -",
                "/%C3%A9, /Ã©, -",
            })
    void pathIsDecodedResolvedAndMerged(String text, String path, String query) {
        RequestTarget target = RequestTarget.parse(text);
        assertThat(target.path()).isEqualTo(path);
        assertThat(target.query()).isEqualTo(query);
        assertThat(target.raw()).isEqualTo(text);
        assertThat(target.authority()).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "http://a/b?c, a, /b?c, /b",
        "http://a:81, a:81, /, /",
        "HTTP://a?x, a, /?x, /",
        "http://A.b/%2e/x, A.b, /%2e/x, /x",
        "http://[::1]:80/, [::1]:80, /, /",
        "'http:///x', '', /x, /x",
    })
    void absoluteFormGivesTheAuthority(String text, String authority, String raw, String path) {
        RequestTarget target = RequestTarget.parse(text);
        assertThat(target.authority()).isEqualTo(authority);
        assertThat(target.raw()).isEqualTo(raw);
        assertThat(target.path()).isEqualTo(path);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*",
                "a",
                "a:80",
                "?x",
                "ftp://a/",
                "/..",
                "/../a",
                "/a/../..",
                "/a/../../b",
                "/%2e%2e/a",
                "/a/%2e%2e%2f%2e%2e/b",
                "/%",
                "/%4",
                "/%zz",
                "/a%0",
                "/%00",
                "/a%00b",
                "/a#b",
                "/a?b#c"
            })
    void whatIsNoPathIsRefused(String text) {
        assertThat(RequestTarget.parse(text)).isNull();
    }
}
