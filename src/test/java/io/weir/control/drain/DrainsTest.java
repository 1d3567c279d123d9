package io.weir.control.drain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.config.ActiveConfig;
import io.weir.config.AdminState;
import io.weir.config.DrainConfig;
import io.weir.config.DrainConfig.Result;
import io.weir.config.DrainConfig.Then;
import io.weir.config.KeepaliveConfig;
import io.weir.config.MethodSpec;
import io.weir.config.ProxyConfig;
import io.weir.config.ProxySettings;
import io.weir.config.ServerConfig;
import io.weir.config.TimeSpan;
import io.weir.config.UpstreamConfig;
import io.weir.control.change.Refusal;
import io.weir.upstream.Outcome;
import io.weir.upstream.PeerConnection;
import io.weir.upstream.Upstreams;
import io.weir.zone.Ticker;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a node knows of its drains, by a clock that the test moves. One group {@code app}, servers 1 and 2. */
class DrainsTest {

    private static final ServerKey FIRST = new ServerKey("app", 1);
    private static final ServerConfig SERVER = ServerConfig.of(1, "127.0.0.1:9001");
    private static final ServerConfig OTHER = ServerConfig.of(2, "127.0.0.1:9002");

    private final MovableClock clock = new MovableClock();
    private final Upstreams upstreams = new Upstreams(Ticker.system(), host -> List.of(InetAddress.getAllByName(host)));
    private final Drains drains = new Drains(upstreams, clock);
    private final ActiveConfig active = new ActiveConfig(List.of(upstreams, drains));
    private final List<String> told = new ArrayList<>();

    private void configure(ServerConfig... servers) {
        UpstreamConfig app =
                new UpstreamConfig("app", MethodSpec.ROUND_ROBIN, KeepaliveConfig.DEFAULT, List.of(servers));
        active.prepare(new ProxyConfig(active.current().revision() + 1, List.of(app), List.of()))
                .commit();
    }

    private DrainConfig drain(Then then, @Nullable String timeout) {
        return new DrainConfig(
                then, timeout == null ? null : TimeSpan.parse(timeout), clock.instant(), AdminState.UP, null);
    }

    private static ServerConfig draining(DrainConfig drain) {
        return SERVER.withDrain(AdminState.DRAIN, drain);
    }

    /** Something in progress at the first server, which is the only one that takes anything now. */
    private PeerConnection busy() {
        configure(SERVER);
        PeerConnection session = Objects.requireNonNull(upstreams.group("app")).open(ProxySettings.DEFAULT);
        assertThat(session.get()).isNotNull();
        return session;
    }

    private List<String> due() {
        return drains.look().due().stream()
                .map(due -> due.server().id() + " " + due.result())
                .toList();
    }

    private DrainReport report(ServerConfig server) {
        return drains.report("app", server);
    }

    private @Nullable DrainReport removed() {
        return drains.reportRemoved("app", server -> server.id() == 1);
    }

    @Test
    void aDrainIsDueWhenTheLastConnectionHasEnded() {
        PeerConnection session = busy();
        ServerConfig draining = draining(drain(Then.KEEP, null));
        configure(draining, OTHER);
        assertThat(due()).isEmpty();
        assertThat(report(draining).conns()).isEqualTo(1);
        assertThat(report(draining).requests()).as("begun since").isZero();
        assertThat(report(draining).isInProgress()).isTrue();
        clock.skip("1000H");
        assertThat(due()).as("without a deadline it may take any time").isEmpty();
        session.free(Outcome.OK, null);
        assertThat(due()).containsExactly("1 DRAINED");
        assertThat(due()).as("until it has ended").containsExactly("1 DRAINED");
    }

    @Test
    void whatIsLeftAtTheDeadlineIsCutOnce() {
        PeerConnection session = busy();
        configure(draining(drain(Then.KEEP, "5m")), OTHER);
        clock.skip("4M59S");
        assertThat(drains.look()).isEqualTo(new Drains.Findings(List.of(), List.of()));
        clock.skip("1S");
        Drains.Findings findings = drains.look();
        assertThat(findings.cut()).containsExactly(FIRST);
        assertThat(findings.due()).extracting(Drains.Due::result).containsExactly(Result.TIMED_OUT);
        session.free(Outcome.OK, null);
        Drains.Findings later = drains.look();
        assertThat(later.cut()).isEmpty();
        assertThat(later.due())
                .as("what was cut did not end by itself")
                .extracting(Drains.Due::result)
                .containsExactly(Result.TIMED_OUT);
    }

    @Test
    void timeThatPassedWhileNobodyRanCounts() {
        PeerConnection session = busy();
        DrainConfig drain = drain(Then.KEEP, "5m");
        clock.skip("10M");
        configure(draining(drain), OTHER);
        assertThat(drains.look().cut()).containsExactly(FIRST);
        session.free(Outcome.OK, null);
    }

    @Test
    void aServerWithNothingLeftIsDrainedHoweverLateThatIsSeen() {
        DrainConfig drain = drain(Then.REMOVE, "5m");
        clock.skip("10M");
        configure(draining(drain), OTHER);
        assertThat(drains.look())
                .isEqualTo(new Drains.Findings(List.of(), List.of(new Drains.Due(FIRST, drain, Result.DRAINED))));
    }

    @Test
    void aDrainAskedForAnewHasItsTimeAgain() {
        PeerConnection session = busy();
        configure(draining(drain(Then.KEEP, "5m")), OTHER);
        clock.skip("5M");
        assertThat(drains.look().cut()).hasSize(1);
        configure(draining(drain(Then.DOWN, "1m")), OTHER);
        assertThat(drains.look()).isEqualTo(new Drains.Findings(List.of(), List.of()));
        clock.skip("1M");
        assertThat(drains.look().cut()).hasSize(1);
        assertThat(drains.active()).isEqualTo(1);
        session.free(Outcome.OK, null);
    }

    @Test
    void howItEndedIsToldAfterwards() {
        PeerConnection session = busy();
        DrainConfig drain = drain(Then.DOWN, "5m");
        configure(draining(drain), OTHER);
        session.free(Outcome.OK, null);
        clock.skip("1M");
        ServerConfig down = SERVER.withDrain(AdminState.DOWN, drain.ended(Result.DRAINED, clock.instant()));
        configure(down, OTHER);
        assertThat(drains.isBusy()).isFalse();
        assertThat(drains.ended(DrainOutcome.DRAINED)).isEqualTo(1);
        assertThat(report(down))
                .isEqualTo(new DrainReport(
                        FIRST,
                        "127.0.0.1:9001",
                        AdminState.DOWN,
                        down.drain(),
                        DrainOutcome.DRAINED,
                        clock.instant(),
                        0,
                        0L));
        configure(SERVER, OTHER);
        assertThat(report(SERVER).outcome()).as("the last one").isEqualTo(DrainOutcome.DRAINED);
        assertThat(report(SERVER).state()).isEqualTo(AdminState.UP);
    }

    @Test
    void anEndThatAnotherLifeSawIsToldWithoutItsRequests() {
        ServerConfig kept =
                SERVER.withDrain(AdminState.DRAIN, drain(Then.KEEP, "5m").ended(Result.TIMED_OUT, clock.instant()));
        configure(kept, OTHER);
        assertThat(drains.isBusy()).isFalse();
        assertThat(report(kept).outcome()).isEqualTo(DrainOutcome.TIMED_OUT);
        assertThat(report(kept).requests()).isNull();
    }

    @Test
    void anotherStateCancels() {
        PeerConnection session = busy();
        configure(draining(drain(Then.REMOVE, "5m")), OTHER);
        configure(SERVER, OTHER);
        assertThat(drains.isBusy()).isFalse();
        assertThat(report(SERVER).outcome()).isEqualTo(DrainOutcome.CANCELLED);
        assertThat(drains.ended(DrainOutcome.CANCELLED)).isEqualTo(1);
        clock.skip("5M");
        assertThat(drains.look().cut()).isEmpty();
        session.free(Outcome.OK, null);
    }

    @Test
    void aServerThatSomebodyRemovesIsNotDrained() {
        PeerConnection session = busy();
        configure(draining(drain(Then.REMOVE, "5m")), OTHER);
        drains.look();
        configure(OTHER);
        assertThat(Objects.requireNonNull(removed()).outcome()).isEqualTo(DrainOutcome.CANCELLED);
        session.free(Outcome.OK, null);
    }

    @Test
    void aServerThatItsDrainRemovedIsRemembered() {
        PeerConnection session = busy();
        configure(draining(drain(Then.REMOVE, "5m")), OTHER);
        session.free(Outcome.OK, null);
        drains.look();
        configure(OTHER);
        DrainReport report = Objects.requireNonNull(removed());
        assertThat(report.outcome()).isEqualTo(DrainOutcome.DRAINED);
        assertThat(report.state()).isNull();
        assertThat(drains.reportRemoved("other", server -> true)).isNull();
        assertThat(drains.reportRemoved("app", server -> server.id() == 2)).isNull();
    }

    @Test
    void whatAnotherNodeFoundOverdueIsCutHereToo() {
        PeerConnection session = busy();
        DrainConfig drain = drain(Then.KEEP, "5m");
        configure(draining(drain), OTHER);
        configure(SERVER.withDrain(AdminState.DRAIN, drain.ended(Result.TIMED_OUT, clock.instant())), OTHER);
        assertThat(drains.isBusy()).isTrue();
        assertThat(drains.look()).isEqualTo(new Drains.Findings(List.of(FIRST), List.of()));
        assertThat(drains.isBusy()).isFalse();
        session.free(Outcome.OK, null);
    }

    @Test
    void aServerThatAnotherNodeRemovedInTimeIsCutHereToo() {
        PeerConnection session = busy();
        configure(draining(drain(Then.REMOVE, "5m")), OTHER);
        drains.look();
        clock.skip("5M");
        configure(OTHER);
        assertThat(Objects.requireNonNull(removed()).outcome()).isEqualTo(DrainOutcome.TIMED_OUT);
        assertThat(drains.look().cut()).containsExactly(FIRST);
        session.free(Outcome.OK, null);
    }

    @Test
    void whoWaitsIsToldOfTheEnd() {
        PeerConnection session = busy();
        configure(draining(drain(Then.REMOVE, null)), OTHER);
        drains.watch(() -> {});
        drains.await(FIRST, Duration.ofMinutes(1), () -> told.add("first"));
        drains.await(new ServerKey("app", 2), Duration.ofMinutes(1), () -> told.add("not drained"));
        assertThat(told).containsExactly("not drained");
        drains.look();
        configure(SERVER, OTHER);
        assertThat(told).containsExactly("not drained", "first");
        session.free(Outcome.OK, null);
    }

    @Test
    void aWaitIsOverInTime() {
        PeerConnection session = busy();
        configure(draining(drain(Then.REMOVE, null)), OTHER);
        drains.watch(() -> {});
        drains.await(FIRST, Duration.ofMinutes(1), () -> told.add("short"));
        drains.await(FIRST, Duration.ofMinutes(2), () -> told.add("long"));
        clock.skip("59S");
        drains.look();
        assertThat(told).isEmpty();
        clock.skip("1S");
        drains.look();
        assertThat(told).containsExactly("short");
        drains.unwatch();
        assertThat(told).as("when nobody looks any more").containsExactly("short", "long");
        drains.await(FIRST, Duration.ofMinutes(2), () -> told.add("late"));
        assertThat(told).containsExactly("short", "long", "late");
        session.free(Outcome.OK, null);
    }

    @Test
    void onlySoManyMayWait() {
        PeerConnection session = busy();
        configure(draining(drain(Then.REMOVE, null)), OTHER);
        drains.watch(() -> {});
        for (int i = 0; i < Waits.MOST; i++) {
            drains.await(FIRST, Duration.ofMinutes(1), () -> told.add("x"));
        }
        assertThatThrownBy(() -> drains.await(FIRST, Duration.ofMinutes(1), () -> {}))
                .isInstanceOf(Refusal.class);
        configure(SERVER, OTHER);
        assertThat(told).hasSize(Waits.MOST);
        session.free(Outcome.OK, null);
    }

    @Test
    void onlySoManyAreRemembered() {
        for (int id = 1; id <= Drains.REMEMBERED + 1; id++) {
            ServerConfig server = ServerConfig.of(id, "127.0.0.1:" + (9000 + id));
            configure(server.withDrain(AdminState.DRAIN, drain(Then.REMOVE, null)));
            configure();
        }
        assertThat(removed()).isNull();
        assertThat(drains.reportRemoved("app", server -> server.id() == 2)).isNotNull();
        assertThat(drains.ended(DrainOutcome.DRAINED)).isEqualTo(Drains.REMEMBERED + 1);
    }

    @Test
    void aNewGroupHasNothingToDoWithOneThatHadItsName() {
        configure(draining(drain(Then.REMOVE, null)));
        configure(OTHER);
        assertThat(removed()).isNotNull();
        active.prepare(new ProxyConfig(9, List.of(), List.of())).commit();
        assertThat(removed()).as("the group that was").isNotNull();
        configure(SERVER);
        assertThat(removed()).isNull();
        assertThat(report(SERVER).drain()).isNull();
    }

    @Test
    void aBeginWakesWhoWatches() {
        drains.watch(() -> told.add(drains.isBusy() ? "busy" : "idle"));
        configure(SERVER, OTHER);
        configure(draining(drain(Then.REMOVE, null)), OTHER);
        assertThat(told).containsExactly("idle", "idle", "busy");
    }
}
