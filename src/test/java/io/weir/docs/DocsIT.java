package io.weir.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.Api;
import io.weir.control.ControlPlaneTest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.web.server.LocalServerPort;

/**
 * Sends every request of the documents, in their order. A request is a json block behind a line such as
 * {@code `PUT /api/v1/upstreams/app`}; a status in that line is the one expected, otherwise any that means success.
 */
@ControlPlaneTest
class DocsIT {

    private static final Pattern REQUEST = Pattern.compile("`(POST|PUT|PATCH) (/api/v1/\\S+)`(?:.*?(\\d{3}))?.*");
    private static final Pattern PORT = Pattern.compile("(\"port\": *)\\d+");

    private final Api api;

    DocsIT(@LocalServerPort int port) {
        api = new Api(port);
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs/api.md", "docs/nginx.md", "docs/streams.md"})
    void requestsAreAnsweredAsTheDocumentSays(String name) {
        api.clear();
        Path file = Docs.file(name);
        List<String> sent = new ArrayList<>();
        for (Docs.Block block : Docs.blocks(file)) {
            Matcher request = REQUEST.matcher(block.lead());
            if (!block.language().equals("json") || !request.matches()) {
                continue;
            }
            // the ports of examples may be in use here
            String body = PORT.matcher(block.text()).replaceAll("$1" + Api.freePort());
            Api.Reply reply = api.send(request.group(1), request.group(2), body);
            assertThat(reply.status())
                    .as("%s, line %d: %s", name, block.line(), reply.text())
                    .satisfies(status -> {
                        if (request.group(3) == null) {
                            assertThat(status).isBetween(200, 299);
                        } else {
                            assertThat(status).isEqualTo(Integer.parseInt(request.group(3)));
                        }
                    });
            sent.add(request.group());
        }
        assertThat(sent).isNotEmpty();
        api.clear();
    }
}
