package io.weir.upstream;

import static io.weir.upstream.Groups.config;
import static io.weir.zone.Servers.address;
import static io.weir.zone.Servers.server;
import static io.weir.zone.Servers.slowStart;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.config.ActiveConfig;
import io.weir.config.InvalidConfigException;
import io.weir.config.KeepaliveConfig;
import io.weir.config.MethodSpec;
import io.weir.config.ProxySettings;
import io.weir.config.ServerConfig;
import io.weir.config.UpstreamConfig;
import io.weir.config.Violation;
import io.weir.zone.FailureReason;
import io.weir.zone.Peer;
import io.weir.zone.PeerReason;
import io.weir.zone.PeerSnapshot;
import io.weir.zone.Servers;
import java.net.UnixDomainSocketAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UpstreamsTest {

    private final Groups groups = new Groups();

    private static ServerConfig named(int id, String address) {
        return ServerConfig.of(id, address);
    }

    private List<String> refused(UpstreamConfig... configs) {
        InvalidConfigException e = catchThrowableOfType(InvalidConfigException.class, () -> groups.prepare(configs));
        assertThat(e).as("it was not refused").isNotNull();
        return e.violations().stream().map(Violation::field).toList();
    }

    @Test
    void groupsComeAndGo() {
        groups.configure(config("x", server('a')), config("y", server('a')));
        UpstreamGroup x = groups.group("x");
        assertThat(groups.upstreams.groups()).extracting(UpstreamGroup::name).containsExactly("x", "y");
        groups.configure(config("z"), config("x", server('a'), server('b')));
        assertThat(groups.group("x")).isSameAs(x);
        assertThat(groups.upstreams.group("y")).isNull();
        assertThat(groups.upstreams.groups()).extracting(UpstreamGroup::name).containsExactly("z", "x");
        assertThat(groups.addresses("x")).containsExactly("127.0.0.1:9000", "127.0.0.1:9001");
        assertThat(x.snapshot().revision()).isEqualTo(2);
    }

    @Test
    void removedGroupServesWhoHoldsIt() {
        groups.configure(config("x", server('a')));
        UpstreamGroup x = groups.group("x");
        PeerConnection connection = x.open(ProxySettings.DEFAULT);
        groups.configure();
        assertThat(x.isClosed()).isTrue();
        assertThat(connection.get()).isNotNull();
        connection.free(Outcome.OK, null);
        groups.configure(config("x", server('a')));
        assertThat(groups.group("x")).isNotSameAs(x);
        assertThat(groups.group("x").isClosed()).isFalse();
    }

    @Test
    void preparedChangeIsInvisibleAndMayBeAborted() {
        groups.configure(config("x", server('a')));
        ActiveConfig.Change change = groups.prepare(config("x", server('b')), config("y"));
        assertThat(groups.addresses("x")).containsExactly("127.0.0.1:9000");
        assertThat(groups.upstreams.group("y")).isNull();
        change.abort();
        assertThat(groups.addresses("x")).containsExactly("127.0.0.1:9000");
        groups.configure(config("x", server('c')));
        assertThat(groups.addresses("x")).containsExactly("127.0.0.1:9002");
    }

    @Test
    void unknownMethodIsRefusedWithItsPlace() {
        UpstreamConfig bad =
                new UpstreamConfig("y", new MethodSpec("fastest", Map.of()), KeepaliveConfig.DEFAULT, List.of());
        UpstreamConfig worse = new UpstreamConfig(
                "z", new MethodSpec("least_conn", Map.of("key", "x")), KeepaliveConfig.DEFAULT, List.of());
        assertThat(refused(config("x"), bad, worse))
                .containsExactly("upstreams[1].balancing.method", "upstreams[2].balancing.key");
        assertThat(groups.upstreams.groups()).isEmpty();
    }

    @Test
    void methodOfARunningGroupCanBeChanged() {
        groups.configure(config("x", server('a', 2), server('b')));
        Peer a = groups.peer("x", 0);
        groups.configure(new UpstreamConfig(
                "x",
                new MethodSpec("least_conn", Map.of()),
                KeepaliveConfig.DEFAULT,
                List.of(server('a', 2), server('b'))));
        assertThat(groups.peer("x", 0)).isSameAs(a);
        StringBuilder held = new StringBuilder();
        for (int i = 0; i < 6; i++) {
            Peer peer = groups.group("x").open(ProxySettings.DEFAULT).get();
            held.append(peer == a ? 'a' : 'b');
        }
        assertThat(held.toString()).isEqualTo("ababaa");
    }

    @Test
    void unrelatedChangeLeavesAGroupAlone() {
        groups.name("app", "10.0.0.1");
        groups.configure(config("x", named(0, "app:80"), server('b')));
        PeerConnection connection = groups.group("x").open(ProxySettings.DEFAULT);
        connection.get();
        connection.free(Outcome.FAILED, FailureReason.CONNECT);
        groups.asked.clear();
        groups.configure(config("x", named(0, "app:80"), server('b')), config("y", server('c')));
        assertThat(groups.asked).isEmpty();
        PeerSnapshot peer = groups.group("x").snapshot().peers().get(0);
        assertThat(peer.fails()).isEqualTo(1);
        assertThat(groups.group("x").snapshot().revision()).isEqualTo(2);
    }

    // ---- names ----

    @Test
    void eachAddressOfANameIsAPeerWithAllParameters() {
        groups.name("app", "10.0.0.1", "2001:db8::1");
        groups.configure(config("x", named(0, "app:8080").withWeight(3), server('b')));
        assertThat(groups.addresses("x")).containsExactly("10.0.0.1:8080", "[2001:db8::1]:8080", "127.0.0.1:9001");
        assertThat(groups.group("x").snapshot().peers())
                .extracting(PeerSnapshot::weight)
                .containsExactly(3, 3, 1);
        assertThat(groups.peer("x", 0).server()).isEqualTo("app:8080");
        assertThat(groups.peer("x", 0).id()).isEqualTo(groups.peer("x", 1).id());
    }

    @Test
    void literalsAndUnixSocketsAskNobody() {
        groups.configure(
                config("x", named(0, "10.0.0.1"), named(1, "[2001:db8::1]:81"), named(2, "unix:/run/app.sock")));
        assertThat(groups.addresses("x")).containsExactly("10.0.0.1:80", "[2001:db8::1]:81", "unix:/run/app.sock");
        assertThat(groups.peer("x", 2).address()).isEqualTo(UnixDomainSocketAddress.of("/run/app.sock"));
        assertThat(groups.asked).isEmpty();
    }

    @Test
    void aNameIsAskedForOncePerChange() {
        groups.name("app", "10.0.0.1");
        groups.configure(config("x", named(0, "app:80"), named(1, "app:81")), config("y", named(0, "APP:82")));
        assertThat(groups.asked).containsExactly("app");
    }

    @Test
    void newServerWhoseNameDoesNotResolveIsRefused() {
        assertThat(refused(config("w"), config("x", server('a'), named(1, "nowhere:80"))))
                .containsExactly("upstreams[1].servers[1].address");
        groups.name("app", "10.0.0.1");
        groups.configure(config("x", named(0, "app:80")));
        assertThat(refused(config("x", named(0, "nowhere:80")))).containsExactly("upstreams[0].servers[0].address");
        assertThat(groups.addresses("x")).containsExactly("10.0.0.1:80");
    }

    @Test
    void emptyAnswerIsAsBadAsNone() {
        groups.names.put("empty", List.of());
        assertThat(refused(config("x", named(0, "empty:80")))).containsExactly("upstreams[0].servers[0].address");
    }

    @Test
    void serverThatIsThereKeepsItsAddressesWhenNamesFail() {
        groups.name("app", "10.0.0.1", "10.0.0.2");
        groups.configure(config("x", named(0, "app:80")));
        groups.names.clear();
        groups.configure(config("x", named(0, "app:80").withWeight(7), server('b')));
        assertThat(groups.addresses("x")).containsExactly("10.0.0.1:80", "10.0.0.2:80", "127.0.0.1:9001");
        assertThat(groups.peer("x", 0).weight()).isEqualTo(7);
    }

    @Test
    void atTheStartAnUnresolvableNameIsTolerated() {
        groups.upstreams.lenient(() -> groups.configure(config("x", named(0, "app:80"), server('b'))));
        assertThat(groups.addresses("x")).containsExactly("127.0.0.1:9001");
        assertThat(refused(config("x", named(0, "app:80"), server('b'), named(2, "other:80"))))
                .containsExactly("upstreams[0].servers[2].address");

        groups.configure(config("x", named(0, "app:80").withWeight(2), server('b')));
        assertThat(groups.addresses("x"))
                .as("still tolerated, as it is there already")
                .hasSize(1);
    }

    @Test
    void unresolvedNameIsTriedAgainWithTheNextChange() {
        groups.upstreams.lenient(() -> groups.configure(config("x", named(0, "app:80"))));
        groups.name("app", "10.0.0.1");
        groups.configure(config("x", named(0, "app:80")));
        assertThat(groups.addresses("x")).containsExactly("10.0.0.1:80");
    }

    @Test
    void refreshFindsPeersForServersThatHaveNone() {
        groups.upstreams.lenient(() -> groups.configure(config("x", named(0, "app:80"), server('b'))));
        groups.upstreams.refreshUnresolved();
        assertThat(groups.addresses("x")).containsExactly("127.0.0.1:9001");
        groups.name("app", "10.0.0.1");
        groups.upstreams.refreshUnresolved();
        assertThat(groups.addresses("x")).containsExactly("10.0.0.1:80", "127.0.0.1:9001");
        groups.asked.clear();
        groups.upstreams.refreshUnresolved();
        assertThat(groups.asked).as("nothing is left to ask for").isEmpty();
        groups.configure(config("x", named(0, "app:80"), server('b'), server('c')));
        assertThat(groups.addresses("x")).hasSize(3);
        assertThat(groups.asked).isEmpty();
    }

    @Test
    void refreshBetweenPrepareAndCommitWaitsForTheNext() {
        groups.upstreams.lenient(() -> groups.configure(config("x", named(0, "app:80"))));
        ActiveConfig.Change change =
                groups.prepare(config("x", named(0, "app:80").withWeight(4)));
        groups.name("app", "10.0.0.1");
        groups.upstreams.refreshUnresolved();
        change.commit();
        assertThat(groups.addresses("x")).isEmpty();
        groups.upstreams.refreshUnresolved();
        assertThat(groups.addresses("x")).containsExactly("10.0.0.1:80");
        assertThat(groups.peer("x", 0).weight()).isEqualTo(4);
    }

    @Test
    void whatIsLargeIsMadeBeforeTheCommit() {
        MethodSpec ring = new MethodSpec("hash", Map.of("key", "$uri", "consistent", true));
        UpstreamConfig group =
                new UpstreamConfig("x", ring, KeepaliveConfig.DEFAULT, List.of(server('a', 1000), server('b', 1000)));
        groups.configure(config("x", server('a')));
        ActiveConfig.Change change = groups.prepare(group);
        long before = Servers.allocated();
        change.commit();
        assertThat(Servers.allocated() - before).as("a ring is 2.5 MB").isLessThan(500_000);
        assertThat(groups.group("x").zone().primary().size()).isEqualTo(2);
    }

    @Test
    void afterARefusedOrAbortedChangeNamesAreLookedUpAgain() {
        groups.upstreams.lenient(() -> groups.configure(config("x", named(0, "app:80"))));
        groups.name("app", "10.0.0.1");
        assertThatThrownBy(() -> groups.prepare(config("x", named(0, "other:80"))))
                .isInstanceOf(InvalidConfigException.class);
        groups.prepare(config("x")).abort();
        groups.upstreams.refreshUnresolved();
        assertThat(groups.addresses("x")).containsExactly("10.0.0.1:80");
    }

    @Test
    void serverAddedToARunningGroupWarmsUp() {
        groups.configure(config("x", server('a'), slowStart(server('b', 5), "10s")));
        assertThat(groups.group("x").snapshot().peers().get(1).reasons()).isEmpty();
        groups.configure(config("x", server('a'), slowStart(server('b', 5), "10s"), slowStart(server('c', 5), "10s")));
        assertThat(groups.group("x").snapshot().peers())
                .extracting(p -> p.reasons().contains(PeerReason.WARMING))
                .containsExactly(false, false, true);
    }

    // ---- groups that nobody declared ----

    @Test
    void implicitGroupHasNginxsDefaultsAndNoCache() {
        UpstreamGroup group =
                groups.upstreams.implicit("127.0.0.1:9000", List.of(address("127.0.0.1", 9000), address("::1", 9000)));
        assertThat(group.name()).isEqualTo("127.0.0.1:9000");
        assertThat(group.keepalive().connections()).isZero();
        assertThat(group.snapshot().peers())
                .extracting(PeerSnapshot::address)
                .containsExactly("127.0.0.1:9000", "[::1]:9000");
        assertThat(groups.upstreams.groups()).isEmpty();
        PeerConnection connection = group.open(ProxySettings.DEFAULT);
        connection.get();
        connection.free(Outcome.FAILED, FailureReason.CONNECT);
        assertThat(group.snapshot().peers().get(0).eligible()).isFalse();
        groups.ticker.advanceSeconds(11);
        assertThat(group.snapshot().peers().get(0).eligible()).isTrue();
    }
}
