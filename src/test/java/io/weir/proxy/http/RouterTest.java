package io.weir.proxy.http;

import static io.weir.proxy.RouteSpec.answering;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.weir.proxy.RouteSpec;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/**
 * The choice of a route.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_core_module.html#location">nginx: location</a>
 * @see <a href="https://nginx.org/en/docs/http/server_names.html">nginx: server names</a>
 */
class RouterTest {

    private static Router router(RouteSpec... routes) {
        return new Router(Arrays.stream(routes)
                .map(spec -> new Route("web", spec.route(), null, ""))
                .toList());
    }

    private static String find(Router router, String host, String path) {
        return find(router, host, path, "GET");
    }

    private static String find(Router router, String host, String path, String method, String... fields) {
        DefaultHttpHeaders headers = new DefaultHttpHeaders();
        for (int i = 0; i < fields.length; i += 2) {
            headers.add(fields[i], fields[i + 1]);
        }
        Route route = router.find(host, path, method, NettyHeads.of(headers));
        return route == null ? "none" : route.config().name();
    }

    @Test
    void exactPathBeatsPrefixAndRegex() {
        Router router = router(
                answering("prefix").prefix("/a"),
                answering("regex").regex("^/a"),
                answering("exact").exact("/a"));
        assertThat(find(router, "x", "/a")).isEqualTo("exact");
        assertThat(find(router, "x", "/ab")).isEqualTo("regex");
    }

    @Test
    void longestPrefixWins() {
        Router router = router(
                answering("root"),
                answering("a").prefix("/a"),
                answering("a-slash").prefix("/a/"),
                answering("abc").prefix("/a/bc"),
                answering("b").prefix("/b/"));
        assertThat(find(router, "x", "/")).isEqualTo("root");
        assertThat(find(router, "x", "/a")).isEqualTo("a");
        assertThat(find(router, "x", "/ab")).isEqualTo("a");
        assertThat(find(router, "x", "/a/")).isEqualTo("a-slash");
        assertThat(find(router, "x", "/a/b")).isEqualTo("a-slash");
        assertThat(find(router, "x", "/a/bcd")).isEqualTo("abc");
        assertThat(find(router, "x", "/a/bd")).isEqualTo("a-slash");
        assertThat(find(router, "x", "/b")).isEqualTo("root");
        assertThat(find(router, "x", "/c")).isEqualTo("root");
    }

    @Test
    void firstRegexBeatsAnyPrefixUnlessThatForbidsIt() {
        Router router = router(
                answering("root"),
                answering("images").prefixWithoutRegex("/images/"),
                answering("nested").prefix("/images/nested/"),
                answering("gif").regex("\\.gif$"),
                answering("any").regex("^/[a-z]+\\."));
        assertThat(find(router, "x", "/a.gif")).isEqualTo("gif");
        assertThat(find(router, "x", "/a.png")).isEqualTo("any");
        assertThat(find(router, "x", "/images/a.gif")).isEqualTo("images");
        // only the longest prefix counts
        assertThat(find(router, "x", "/images/nested/a.gif")).isEqualTo("gif");
        assertThat(find(router, "x", "/1")).isEqualTo("root");
    }

    @Test
    void regexIsSearchedForAnywhereAndMindsCase() {
        Router router = router(answering("regex").regex("b+"));
        assertThat(find(router, "x", "/abbc")).isEqualTo("regex");
        assertThat(find(router, "x", "/aBc")).isEqualTo("none");
    }

    @Test
    void exactHostBeatsWildcards() {
        Router router = router(
                answering("any"),
                answering("tail").hosts("www.*"),
                answering("lead").hosts("*.example.org"),
                answering("longer").hosts("*.b.example.org"),
                answering("exact").hosts("www.example.org", "other.example"));
        assertThat(find(router, "www.example.org", "/")).isEqualTo("exact");
        assertThat(find(router, "other.example", "/")).isEqualTo("exact");
        // one that begins with an asterisk beats one that ends with it, and a longer one a shorter one
        assertThat(find(router, "www.x.example.org", "/")).isEqualTo("lead");
        assertThat(find(router, "a.b.example.org", "/")).isEqualTo("longer");
        assertThat(find(router, "www.example.com", "/")).isEqualTo("tail");
        assertThat(find(router, "example.org", "/")).isEqualTo("any");
        assertThat(find(router, "notexample.org", "/")).isEqualTo("any");
        assertThat(find(router, "www", "/")).isEqualTo("any");
        assertThat(find(router, "", "/")).isEqualTo("any");
    }

    @Test
    void routesOfAnyHostTakeWhatTheBestHostLeaves() {
        Router router = router(
                answering("any"),
                answering("api").hosts("a").prefix("/api/"),
                answering("wild").hosts("*.a").prefix("/w/"));
        assertThat(find(router, "a", "/api/x")).isEqualTo("api");
        assertThat(find(router, "a", "/x")).isEqualTo("any");
        assertThat(find(router, "b.a", "/w/")).isEqualTo("wild");
        assertThat(find(router, "b.a", "/x")).isEqualTo("any");
        assertThat(find(router, "c", "/api/x")).isEqualTo("any");
    }

    @Test
    void methodsAndFieldsNarrowARoute() {
        Router router = router(
                answering("root"),
                answering("post").prefix("/a").methods("POST", "PUT"),
                answering("beta").prefix("/a").header("X-Channel", "beta"),
                answering("exact-get").exact("/a").methods("GET"));
        assertThat(find(router, "x", "/a")).isEqualTo("exact-get");
        assertThat(find(router, "x", "/a", "POST")).isEqualTo("post");
        assertThat(find(router, "x", "/a", "PUT", "X-Channel", "beta")).isEqualTo("post");
        assertThat(find(router, "x", "/ab", "GET", "x-channel", "beta")).isEqualTo("beta");
        assertThat(find(router, "x", "/ab", "GET", "X-Channel", "Beta")).isEqualTo("root");
        assertThat(find(router, "x", "/ab", "DELETE")).isEqualTo("root");
        // methods mind case (RFC 9110 section 9.1)
        assertThat(find(router, "x", "/ab", "post")).isEqualTo("root");
    }

    @Test
    void nothingMatches() {
        Router router = router(answering("a").prefix("/a"), answering("h").hosts("h"));
        assertThat(find(router, "x", "/b")).isEqualTo("none");
        assertThat(find(router, "x", "/")).isEqualTo("none");
        assertThat(router.isEmpty()).isFalse();
        assertThat(router().isEmpty()).isTrue();
    }

    /** The path has one char for each byte, so a pattern that is not ASCII has to be looked for as its UTF-8 bytes. */
    @Test
    void pathsBeyondAsciiMatchTheirEncodedForm() {
        Router router = router(
                answering("exact").exact("/caf\u00e9"),
                answering("prefix").prefix("/\u20ac/"),
                answering("regex").regex("^/na\u00efve$"));
        assertThat(find(router, "x", RequestTarget.parse("/caf%C3%A9").path())).isEqualTo("exact");
        assertThat(find(router, "x", RequestTarget.parse("/%E2%82%AC/1").path()))
                .isEqualTo("prefix");
        assertThat(find(router, "x", RequestTarget.parse("/na%C3%AFve").path())).isEqualTo("regex");
        assertThat(find(router, "x", RequestTarget.parse("/caf%E9").path())).isEqualTo("none");
    }
}
