package io.weir.control.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.Api;
import io.weir.control.ControlPlaneTest;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

@ControlPlaneTest
class UpstreamApiIT {

    private static final String APP = "/api/v1/upstreams/app";

    @LocalServerPort
    private int port;

    private Api api;

    @BeforeEach
    void start() {
        api = new Api(port);
        api.clear();
    }

    @Test
    void aSingleNodeHasNobodyToWaitFor() {
        Api.Reply reply = api.put("/api/v1/upstreams/b?wait=applied&timeout=60s", "{}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        assertThat(api.put("/api/v1/upstreams/b?wait=applied", "{}").status()).isEqualTo(200);
        assertThat(api.delete("/api/v1/upstreams/b?wait=applied&dryRun=true").status())
                .isEqualTo(200);
        assertThat(api.delete("/api/v1/upstreams/b?wait=applied").status()).isEqualTo(204);
    }

    @Test
    void nginxsDefaultsAreFilledInAndShown() {
        Api.Reply created =
                api.post("/api/v1/upstreams", "{\"name\":\"app\",\"servers\":[{\"address\":\"127.0.0.1:9001\"}]}");
        assertThat(created.status()).isEqualTo(201);
        assertThat(created.header("Location")).isEqualTo(APP);
        assertThat(created.json()).isEqualTo(Api.json("""
                                {"name": "app", "protocol": "http", "balancing": {"method": "round_robin"},
                                 "keepalive": {"connections": 32, "local": true, "requests": 1000, "time": "1h", "timeout": "60s"},
                                 "servers": [{"id": 1, "address": "127.0.0.1:9001", "weight": 1, "maxConns": 0, "maxFails": 1,
                                   "failTimeout": "10s", "slowStart": "0s", "backup": false, "state": "up", "route": ""}]}
                                """));
        Api.Reply read = api.get(APP);
        assertThat(read.json()).isEqualTo(created.json());
        assertThat(read.header("ETag")).isEqualTo(created.header("ETag"));
        assertThat(api.get("/api/v1/upstreams").json().path("items").get(0)).isEqualTo(created.json());
    }

    @Test
    void durationsAreShownAsTheyWereSent() {
        api.put(
                APP,
                "{\"keepalive\":{\"time\":\"90m\"},\"servers\":[{\"address\":\"127.0.0.1\",\"failTimeout\":\"1m30s\"}]}");
        JsonNode app = api.get(APP).json();
        assertThat(app.at("/keepalive/time").asString()).isEqualTo("90m");
        assertThat(app.at("/servers/0/failTimeout").asString()).isEqualTo("1m30s");
        assertThat(app.at("/servers/0/address").asString()).isEqualTo("127.0.0.1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"cookie\",\"name\":\"srv\",\"expires\":\"1h\",\"domain\":\"\",\"path\":\"/\",\"secure\":false,\"httpOnly\":true,\"sameSite\":\"lax\"}",
                "{\"type\":\"route\",\"values\":[\"$cookie_route\",\"$arg_route\"]}",
                "{\"type\":\"learn\",\"create\":\"$upstream_cookie_sid\",\"lookup\":\"$cookie_sid\",\"timeout\":\"10m\",\"header\":false,\"sessions\":100000}"
            })
    void affinityIsShownAsItWasSentAndStaysWhenServersChange(String sticky) {
        String body = "{\"sticky\":" + sticky + ",\"servers\":[{\"address\":\"127.0.0.1:1\",\"route\":\"r1\"}]}";
        assertThat(api.put(APP, body).status()).isEqualTo(201);
        assertThat(api.get(APP).json().path("sticky")).isEqualTo(Api.json(sticky));
        assertThat(api.put(APP, api.get(APP).text()).json().path("sticky")).isEqualTo(Api.json(sticky));
        api.post(APP + "/servers", "{\"address\":\"127.0.0.1:2\"}");
        assertThat(api.get(APP).json().path("sticky")).isEqualTo(Api.json(sticky));
        assertThat(api.patch(APP, "{\"sticky\":null}").json().has("sticky")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "\"balancing\":{\"method\":\"hash\"}; balancing.key",
                "\"balancing\":{\"method\":\"hash\",\"key\":\"$nothing\"}; balancing.key",
                "\"balancing\":{\"method\":\"hash\",\"key\":\"$uri\",\"consistent\":1}; balancing.consistent",
                "\"balancing\":{\"method\":\"ip_hash\",\"key\":\"$uri\"}; balancing.key",
                "\"balancing\":{\"method\":\"least_time\"}; balancing.by",
                "\"balancing\":{\"method\":\"random\",\"by\":\"least_conn\"}; balancing.by",
                "\"balancing\":{\"method\":\"ip_hash\"},\"servers\":[{\"address\":\"127.0.0.1:1\"},{\"address\":\"127.0.0.1:2\",\"backup\":true}]; servers[1].backup",
                "\"balancing\":{\"method\":\"random\"},\"servers\":[{\"address\":\"127.0.0.1:1\",\"slowStart\":\"5s\"}]; servers[0].slowStart",
                "\"sticky\":{\"type\":\"luck\"}; sticky.type",
                "\"sticky\":{\"type\":\"cookie\"}; sticky.name",
                "\"sticky\":{\"type\":\"cookie\",\"name\":\"a b\"}; sticky.name",
                "\"sticky\":{\"type\":\"cookie\",\"name\":\"a\",\"sameSite\":\"x\"}; sticky.sameSite",
                "\"sticky\":{\"type\":\"cookie\",\"name\":\"a\",\"values\":[]}; sticky.values",
                "\"sticky\":{\"type\":\"route\"}; sticky.values",
                "\"sticky\":{}; sticky.type",
                "\"sticky\":{\"type\":\"route\",\"values\":[\"$nope\"]}; sticky.values[0]",
                "\"sticky\":{\"type\":\"route\",\"values\":[\"\"]}; sticky.values[0]",
                "\"sticky\":{\"type\":\"learn\",\"create\":\"$x\",\"lookup\":\"$uri\"}; sticky.create",
                "\"sticky\":{\"type\":\"cookie\",\"name\":\"a\",\"expires\":\"500ms\"}; sticky.expires",
                "\"sticky\":{\"type\":\"cookie\",\"name\":\"a\",\"expires\":\"1500ms\"}; sticky.expires",
                "\"sticky\":{\"type\":\"cookie\",\"name\":\"a\",\"domain\":\"$host\"}; sticky.domain",
                "\"sticky\":{\"type\":\"cookie\",\"name\":\"a\",\"domain\":\"a..b\"}; sticky.domain",
                "\"sticky\":{\"type\":\"cookie\",\"name\":\"a\",\"path\":\"/$uri\"}; sticky.path",
                "\"sticky\":{\"type\":\"cookie\",\"name\":\"a\",\"path\":\"x\"}; sticky.path",
                "\"sticky\":{\"type\":\"learn\",\"create\":\"$uri\"}; sticky.lookup"
            })
    void wrongArgumentsAreNamed(String fields, String field) {
        Api.Reply reply = api.put(APP, "{" + fields + "}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(400);
        assertThat(reply.fields()).as("one error for one fault").containsExactly(field);
    }

    @Test
    void aCookiesNameIsNoLongerThanAnyBrowserNeeds() {
        String body = "{\"sticky\":{\"type\":\"cookie\",\"name\":\"%s\",\"domain\":\".example.com\"}}";
        assertThat(api.put(APP, body.formatted("x".repeat(129))).fields()).containsExactly("sticky.name");
        assertThat(api.put(APP, body.formatted("x".repeat(128))).status()).isEqualTo(201);
    }

    @Test
    void aMergePatchThatChangesTheKindReplacesTheObject() {
        api.put(
                APP,
                "{\"balancing\":{\"method\":\"hash\",\"key\":\"$uri\",\"consistent\":true},"
                        + "\"sticky\":{\"type\":\"cookie\",\"name\":\"srv\",\"expires\":\"1h\"}}");
        JsonNode merged = api.patch(
                        APP, "{\"balancing\":{\"method\":\"hash\",\"key\":\"$host\"},\"sticky\":{\"path\":\"/\"}}")
                .json();
        assertThat(merged.path("balancing"))
                .as("of the same kind, it is merged")
                .isEqualTo(Api.json("{\"method\":\"hash\",\"consistent\":true,\"key\":\"$host\"}"));
        assertThat(merged.at("/sticky/expires").asString()).isEqualTo("1h");
        JsonNode other = api.patch(
                        APP,
                        "{\"balancing\":{\"method\":\"least_conn\"},"
                                + "\"sticky\":{\"type\":\"route\",\"values\":[\"$arg_r\"]}}")
                .json();
        assertThat(other.path("balancing")).isEqualTo(Api.json("{\"method\":\"least_conn\"}"));
        assertThat(other.path("sticky")).isEqualTo(Api.json("{\"type\":\"route\",\"values\":[\"$arg_r\"]}"));
        api.patch(APP, "{\"balancing\":{\"method\":\"hash\",\"key\":\"$uri\"}}");
        assertThat(api.patch(APP, "{\"balancing\":{\"method\":null}}").json().path("balancing"))
                .isEqualTo(Api.json("{\"method\":\"round_robin\"}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "\"servers\":[{\"address\":\"a\",\"weight\":100000000000000000000}]; must be between 1 and 1000000",
                "\"servers\":[{\"address\":\"a\",\"maxConns\":-3000000000}]; must be between 0 and 1000000",
                "\"keepalive\":{\"requests\":3000000000}; must be at most 2147483647",
                "\"keepalive\":{\"requests\":-3000000000}; must be between 1 and 2147483647"
            })
    void aNumberThatIsFarOffIsToldTheRangeOfItsField(String fields, String message) {
        Api.Reply reply = api.put(APP, "{" + fields + "}");
        assertThat(reply.json().path("errors")).as(reply.text()).hasSize(1);
        assertThat(reply.json().at("/errors/0/message").asString()).isEqualTo(message);
    }

    @Test
    void aSumOfWeightsIsToldOfTheFieldThatTheRequestHas() {
        String ring = "\"balancing\":{\"method\":\"hash\",\"key\":\"$uri\",\"consistent\":true}";
        String heavy = "{\"address\":\"127.0.0.1:3\",\"weight\":31999}";
        api.put(
                APP,
                "{" + ring
                        + ",\"servers\":[{\"address\":\"127.0.0.1:1\",\"weight\":31998},{\"address\":\"127.0.0.1:2\"}]}");
        assertThat(field(api.patch(APP + "/servers/2", "{\"weight\":3}"))).isEqualTo("weight");
        assertThat(field(api.post(APP + "/servers", heavy))).isEqualTo("weight");
        assertThat(field(api.put(APP + "/servers/127.0.0.1:2", "{\"weight\":3}")))
                .isEqualTo("weight");
        assertThat(field(api.put(APP + "/servers", "{\"items\":[" + heavy + "," + heavy + "]}")))
                .isEqualTo("items");
        assertThat(field(api.put(APP, "{" + ring + ",\"servers\":[" + heavy + "," + heavy + "]}")))
                .isEqualTo("servers");
        assertThat(api.patch(APP + "/servers/2", "{\"weight\":2}").status()).isEqualTo(200);
    }

    @Test
    void tooManyServersAreToldOfTheFieldThatTheRequestHas() {
        String all = IntStream.range(0, 20_001)
                .mapToObj(i -> "{\"address\":\"10.0." + i / 250 + "." + (1 + i % 250) + ":1\"}")
                .collect(Collectors.joining(","));
        api.put(APP, "{}");
        assertThat(field(api.put(APP + "/servers", "{\"items\":[" + all + "]}")))
                .isEqualTo("items");
        assertThat(field(api.put(APP, "{\"servers\":[" + all + "]}"))).isEqualTo("servers");
    }

    private static String field(Api.Reply reply) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(400);
        return reply.json().at("/errors/0/field").asString();
    }

    @Test
    void afterTheGreatestIdThatAClientMayNameWeirGoesOn() {
        Api.Reply put = api.put(APP, "{\"servers\":[{\"id\":1000000000,\"address\":\"127.0.0.1:1\"}]}");
        assertThat(put.status()).isIn(200, 201);
        Api.Reply post = api.post(APP + "/servers", "{\"address\":\"127.0.0.1:2\"}");
        assertThat(post.status()).as(post.text()).isEqualTo(201);
        assertThat(post.json().path("id").asInt()).isEqualTo(1_000_000_001);
        assertThat(api.put(APP, api.get(APP).text()).status()).isEqualTo(200);
        assertThat(api.put(APP + "/servers", api.get(APP + "/servers").text()).status())
                .isEqualTo(200);
        assertThat(api.put(
                                APP + "/servers/1000000001",
                                api.get(APP + "/servers/1000000001").text())
                        .status())
                .isEqualTo(200);
        assertThat(field(api.post(APP + "/servers", "{\"id\":1000000002,\"address\":\"127.0.0.1:3\"}")))
                .isEqualTo("id");
    }

    @Test
    void putOfWhatGetAnsweredChangesNothing() {
        api.put(APP, "{\"balancing\":{\"method\":\"least_conn\"},\"servers\":[{\"address\":\"127.0.0.1:1\"}]}");
        Api.Reply before = api.get(APP);
        Api.Reply put = api.put(APP, before.text());
        assertThat(put.status()).isEqualTo(200);
        assertThat(put.header("ETag")).isEqualTo(before.header("ETag"));
        Api.Reply servers = api.get(APP + "/servers");
        assertThat(api.put(APP + "/servers", servers.text()).header("ETag")).isEqualTo(before.header("ETag"));
        assertThat(api.patch(APP, "{}").header("ETag")).isEqualTo(before.header("ETag"));
    }

    @Test
    void putWithoutServersKeepsThem() {
        api.put(APP, "{\"servers\":[{\"address\":\"127.0.0.1:1\"},{\"address\":\"127.0.0.1:2\"}]}");
        JsonNode servers = api.get(APP).json().path("servers");
        Api.Reply put = api.put(APP, "{\"balancing\":{\"method\":\"least_conn\"}}");
        assertThat(put.json().path("servers")).isEqualTo(servers);
        assertThat(put.json().at("/balancing/method").asString()).isEqualTo("least_conn");
        assertThat(api.put(APP, "{\"servers\":[]}").json().path("servers")).isEmpty();
    }

    @Test
    void serversOfAWholeSetKeepTheirIdsByIdOrElseByAddress() {
        api.put(APP, "{\"servers\":[{\"address\":\"127.0.0.1:1\"},{\"address\":\"127.0.0.1:2\"}]}");
        Api.Reply put = api.put(APP + "/servers", """
                {"items": [{"address": "127.0.0.1:3"}, {"address": "127.0.0.1:1", "weight": 7},
                           {"id": 2, "address": "127.0.0.1:22"}, {"address": "127.0.0.1:1"}]}
                """);
        assertThat(put.status()).isEqualTo(200);
        assertThat(ids(put.json().path("items"))).containsExactly(3, 1, 2, 4);
        assertThat(put.json().at("/items/1/weight").asInt()).isEqualTo(7);
        assertThat(api.get(APP + "/servers").json()).isEqualTo(put.json());
    }

    @Test
    void theIdOfARemovedServerIsNeverUsedAgain() {
        api.put(APP, "{\"servers\":[{\"address\":\"127.0.0.1:1\"},{\"address\":\"127.0.0.1:2\"}]}");
        assertThat(api.delete(APP + "/servers/2").status()).isEqualTo(204);
        Api.Reply added = api.post(APP + "/servers", "{\"address\":\"127.0.0.1:2\"}");
        assertThat(added.status()).isEqualTo(201);
        assertThat(added.json().path("id").asInt()).isEqualTo(3);
        assertThat(added.header("Location")).isEqualTo(APP + "/servers/3");
    }

    @Test
    void aSavedGroupIsMadeAgainWithItsIds() {
        api.put(APP, "{\"servers\":[{\"address\":\"127.0.0.1:1\"},{\"address\":\"127.0.0.1:2\"}]}");
        api.delete(APP + "/servers/1");
        String saved = api.get(APP).json().toString();
        api.delete(APP);
        Api.Reply again = api.put(APP, saved);
        assertThat(again.status()).isEqualTo(201);
        assertThat(ids(again.json().path("servers"))).containsExactly(2);
        assertThat(api.post(APP + "/servers", "{\"address\":\"127.0.0.1:3\",\"id\":7}")
                        .header("Location"))
                .isEqualTo(APP + "/servers/7");
        assertThat(api.post(APP + "/servers", "{\"address\":\"127.0.0.1:4\"}")
                        .json()
                        .path("id")
                        .asInt())
                .isEqualTo(8);
        assertThat(api.post(APP + "/servers", "{\"address\":\"127.0.0.1:5\",\"id\":3}")
                        .fields())
                .containsExactly("id");
    }

    @Test
    void aRepeatedPostDoesNoHarm() {
        api.put(APP, "{\"servers\":[{\"address\":\"127.0.0.1:80\"}]}");
        Api.Reply again = api.post(APP + "/servers", "{\"address\":\"127.0.0.1\"}");
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.json().path("code").asString()).isEqualTo("ADDRESS_TAKEN");
        assertThat(api.post("/api/v1/upstreams", "{\"name\":\"app\"}").status()).isEqualTo(409);
        api.post(APP + "/servers", "{\"address\":\"127.0.0.1:2\"}");
        assertThat(api.patch(APP + "/servers/2", "{\"address\":\"127.0.0.1:80\"}")
                        .status())
                .isEqualTo(409);
    }

    @Test
    void anAddressThatIsNotUniqueIsAConflictThatListsTheIds() {
        api.put(APP, "{\"servers\":[{\"address\":\"127.0.0.1:1\"},{\"address\":\"127.0.0.1:1\"}]}");
        for (Api.Reply reply : List.of(
                api.get(APP + "/servers/127.0.0.1:1"),
                api.put(APP + "/servers/127.0.0.1:1", "{}"),
                api.patch(APP + "/servers/127.0.0.1:1", "{}"),
                api.delete(APP + "/servers/127.0.0.1:1"))) {
            assertThat(reply.status()).isEqualTo(409);
            assertThat(reply.json().path("detail").asString()).contains("1, 2");
        }
        assertThat(api.patch(APP + "/servers/2", "{\"weight\":3}").status()).isEqualTo(200);
    }

    @Test
    void aServerIsFoundByItsAddressHoweverItIsSpelt() {
        api.put(APP, """
                {"servers": [{"address": "[2001:DB8::0:1]:80"}, {"address": "unix:/run/app/a.sock"}, {"address": "127.0.0.1"}]}
                """);
        assertThat(api.get(APP + "/servers/%5B2001:db8::1%5D").json().path("id").asInt())
                .isEqualTo(1);
        assertThat(api.get(APP + "/servers/unix:%2Frun%2Fapp%2Fa.sock")
                        .json()
                        .path("id")
                        .asInt())
                .isEqualTo(2);
        assertThat(api.get(APP + "/servers/127.0.0.1:80").json().path("id").asInt())
                .isEqualTo(3);
        assertThat(api.get(APP + "/servers/127.0.0.1:81").status()).isEqualTo(404);
        assertThat(api.get(APP + "/servers/03").status()).isEqualTo(404);
        assertThat(api.get(APP + "/servers/99999999999999").status()).isEqualTo(404);
        assertThat(api.get(APP + "/servers/no%20address").status()).isEqualTo(404);
    }

    @Test
    void putByAddressCreatesAndByUnknownIdDoesNot() {
        api.put(APP, "{}");
        Api.Reply created = api.put(APP + "/servers/unix:%2Frun%2Fa.sock", "{\"weight\":2}");
        assertThat(created.status()).isEqualTo(201);
        assertThat(created.json().path("address").asString()).isEqualTo("unix:/run/a.sock");
        assertThat(api.put(APP + "/servers/unix:%2Frun%2Fa.sock", "{\"weight\":2}")
                        .status())
                .isEqualTo(200);
        assertThat(api.put(APP + "/servers/7", "{\"address\":\"127.0.0.1:7\"}").status())
                .isEqualTo(404);
        assertThat(api.put("/api/v1/upstreams/none/servers/127.0.0.1:7", "{}").status())
                .isEqualTo(404);
    }

    @Test
    void nullInAMergePatchGivesTheDefaultBack() {
        api.put(APP, "{\"keepalive\":{\"connections\":5,\"time\":\"2h\"},\"servers\":[{\"address\":\"127.0.0.1:1\"}]}");
        Api.Reply patched = api.patch(
                APP, "{\"keepalive\":{\"connections\":null}}", "Content-Type", "application/merge-patch+json");
        assertThat(patched.status()).isEqualTo(200);
        assertThat(patched.json().at("/keepalive/connections").asInt()).isEqualTo(32);
        assertThat(patched.json().at("/keepalive/time").asString()).isEqualTo("2h");
        assertThat(patched.json().path("servers")).hasSize(1);
        api.patch(APP + "/servers/1", "{\"weight\":9,\"state\":\"drain\"}");
        JsonNode server = api.patch(APP + "/servers/1", "{\"weight\":null}").json();
        assertThat(server.path("weight").asInt()).isEqualTo(1);
        assertThat(server.path("state").asString()).isEqualTo("drain");
    }

    @Test
    void revisionsMoveWithWhatChanges() {
        api.put(APP, "{\"servers\":[{\"address\":\"127.0.0.1:1\"},{\"address\":\"127.0.0.1:2\"}]}");
        String group = api.get(APP).header("ETag");
        String first = api.get(APP + "/servers/1").header("ETag");
        String second = api.get(APP + "/servers/2").header("ETag");
        Api.Reply patched = api.patch(APP + "/servers/1", "{\"weight\":2}");
        assertThat(patched.header("ETag")).isNotEqualTo(first);
        assertThat(api.get(APP + "/servers/1").header("ETag")).isEqualTo(patched.header("ETag"));
        assertThat(api.get(APP + "/servers/2").header("ETag")).isEqualTo(second);
        assertThat(api.get(APP).header("ETag")).isNotEqualTo(group);
        assertThat(api.get(APP + "/servers").header("ETag"))
                .isEqualTo(api.get(APP).header("ETag"));
    }

    @Test
    void aGroupThatARouteNamesStays() {
        api.put(APP, "{}");
        api.put(
                "/api/v1/listeners/web",
                "{\"bind\":\"127.0.0.1\",\"port\":" + Api.freePort()
                        + ",\"routes\":[{\"name\":\"all\",\"upstream\":\"app\"}]}");
        Api.Reply refused = api.delete(APP);
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.json().path("code").asString()).isEqualTo("IN_USE");
        assertThat(refused.json().path("detail").asString()).contains("route all of listener web");
        api.delete("/api/v1/listeners/web/routes/all");
        assertThat(api.delete(APP).status()).isEqualTo(204);
        assertThat(api.get(APP).status()).isEqualTo(404);
    }

    @Test
    void peersShowTheZone() {
        api.put(
                APP,
                "{\"servers\":[{\"address\":\"127.0.0.1:1\",\"weight\":3},{\"address\":\"127.0.0.1:2\",\"backup\":true},"
                        + "{\"address\":\"127.0.0.1:3\",\"state\":\"down\"}]}");
        JsonNode peers = api.get(APP + "/peers").json().path("items");
        assertThat(ids(peers)).containsExactly(1, 3, 2);
        assertThat(peers.at("/0/state").asString()).isEqualTo("up");
        assertThat(peers.at("/0/eligible").asBoolean()).isTrue();
        assertThat(peers.at("/0/effectiveWeight").asInt()).isEqualTo(3);
        assertThat(peers.at("/0/unavailUntil").isNull()).isTrue();
        assertThat(peers.at("/0/responses/2xx").asInt(-1)).isZero();
        assertThat(peers.at("/1/reasons/0").asString()).isEqualTo("ADMIN_DOWN");
        assertThat(peers.at("/2/reasons/0").asString()).isEqualTo("BACKUP_STANDBY");
        assertThat(api.get("/api/v1/upstreams/none/peers").status()).isEqualTo(404);
    }

    private static List<Integer> ids(JsonNode items) {
        return items.values().stream().map(item -> item.path("id").asInt()).toList();
    }
}
