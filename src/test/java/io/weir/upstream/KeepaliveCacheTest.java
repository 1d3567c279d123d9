package io.weir.upstream;

import static io.weir.upstream.Groups.config;
import static io.weir.upstream.Groups.keepalive;
import static io.weir.zone.Servers.server;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.AdminState;
import io.weir.config.KeepaliveConfig;
import io.weir.config.ServerConfig;
import io.weir.config.TimeSpan;
import io.weir.upstream.KeepaliveCache.Entry;
import io.weir.zone.Peer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Taking, storing and evicting: keepalive spec sections 3, 4 and 6. Connections are strings. */
class KeepaliveCacheTest {

    private static final String ROUTE = "route";

    /** An event loop whose tasks run when the test says. */
    private static final class Loop implements Executor {

        private final Queue<Runnable> tasks = new ArrayDeque<>();
        private boolean shutDown;

        @Override
        public void execute(Runnable task) {
            if (shutDown) {
                throw new RejectedExecutionException();
            }
            tasks.add(task);
        }

        void run() {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
        }
    }

    private final Groups groups = new Groups();
    private final List<Loop> loops = new ArrayList<>();
    private final List<KeepaliveCache<String>> caches = new ArrayList<>();
    private final List<String> closed = new ArrayList<>();

    private KeepaliveCache<String> cache(KeepaliveConfig keepalive, ServerConfig... servers) {
        groups.configure(config("g", keepalive, servers));
        return another();
    }

    private KeepaliveCache<String> another() {
        Loop loop = new Loop();
        loops.add(loop);
        KeepaliveCache<String> cache = KeepaliveCache.create(groups.group("g"), loop, closed::add);
        caches.add(cache);
        return cache;
    }

    private void runLoops() {
        loops.forEach(Loop::run);
    }

    private Peer peer(int index) {
        return groups.peer("g", index);
    }

    private @Nullable Entry<String> store(KeepaliveCache<String> cache, String connection, Peer peer) {
        return cache.store(connection, peer, ROUTE, 1, 0, 0);
    }

    @AfterEach
    void countsAgree() {
        runLoops();
        UpstreamGroup group = groups.upstreams.group("g");
        if (group != null) {
            int stored = caches.stream().mapToInt(KeepaliveCache::size).sum();
            assertThat(group.idleLimit().total()).isEqualTo(stored);
            assertThat(group.snapshot().idle()).isEqualTo(stored);
        }
    }

    @Test
    void mostRecentlyStoredIsTakenFirst() {
        KeepaliveCache<String> cache = cache(keepalive(8, false), server('a'));
        assertThat(cache.take(peer(0), ROUTE)).isNull();
        store(cache, "one", peer(0));
        store(cache, "two", peer(0));
        assertThat(cache.take(peer(0), ROUTE)).isEqualTo("two");
        assertThat(cache.take(peer(0), ROUTE)).isEqualTo("one");
        assertThat(cache.take(peer(0), ROUTE)).isNull();
        assertThat(closed).isEmpty();
    }

    @Test
    void onlyConnectionsToTheSameAddressAreTaken() {
        KeepaliveCache<String> cache = cache(keepalive(8, false), server('a'), server('b'));
        store(cache, "one", peer(0));
        assertThat(cache.take(peer(1), ROUTE)).isNull();
        assertThat(peer(0)).isNotEqualTo(peer(1));
        assertThat(groups.group("g").snapshot().peers().get(0).idle()).isEqualTo(1);
        assertThat(groups.group("g").snapshot().peers().get(1).idle()).isZero();
    }

    @Test
    void twoServersWithOneAddressShareTheirConnections() {
        ServerConfig twin = ServerConfig.of(5, server('a').address().text());
        KeepaliveCache<String> cache = cache(keepalive(8, false), server('a'), twin);
        store(cache, "one", peer(0));
        assertThat(cache.take(peer(1), ROUTE)).isEqualTo("one");
    }

    @Test
    void localConnectionsAreTakenOnlyByWhoStoredThem() {
        KeepaliveCache<String> cache = cache(keepalive(8, true), server('a'));
        cache.store("one", peer(0), "x", 1, 0, 0);
        cache.store("two", peer(0), "y", 1, 0, 0);
        assertThat(cache.take(peer(0), "z")).isNull();
        assertThat(cache.take(peer(0), "x")).isEqualTo("one");
        assertThat(cache.take(peer(0), "y")).isEqualTo("two");
    }

    @Test
    void leastRecentlyStoredMakesRoom() {
        KeepaliveCache<String> cache = cache(keepalive(2, false), server('a'), server('b'));
        store(cache, "one", peer(0));
        store(cache, "two", peer(1));
        assertThat(cache.take(peer(0), ROUTE)).isEqualTo("one");
        store(cache, "one", peer(0));
        store(cache, "three", peer(0));
        assertThat(closed).containsExactly("two");
        assertThat(cache.take(peer(1), ROUTE)).isNull();
    }

    @Test
    void connectionsThatHaveServedEnoughAreNotKept() {
        KeepaliveCache<String> cache =
                cache(new KeepaliveConfig(8, false, 2, TimeSpan.parse("10s"), TimeSpan.parse("60s")), server('a'));
        assertThat(cache.store("one", peer(0), ROUTE, 1, 0, 0)).isNotNull();
        assertThat(cache.store("two", peer(0), ROUTE, 2, 0, 0)).isNull();
        long tenSeconds = 10_000_000_000L;
        assertThat(cache.store("three", peer(0), ROUTE, 1, -5, tenSeconds - 5)).isNotNull();
        assertThat(cache.store("four", peer(0), ROUTE, 1, -5, tenSeconds - 4)).isNull();
        assertThat(closed).as("closing is up to the caller").isEmpty();
    }

    @Test
    void nothingIsKeptWithoutACache() {
        assertThat(store(cache(KeepaliveConfig.NONE, server('a')), "one", peer(0)))
                .isNull();
    }

    @Test
    void entryThatHasEndedIsForgottenOnce() {
        KeepaliveCache<String> cache = cache(keepalive(8, false), server('a'));
        Entry<String> one = Objects.requireNonNull(store(cache, "one", peer(0)));
        Entry<String> two = Objects.requireNonNull(store(cache, "two", peer(0)));
        Entry<String> three = Objects.requireNonNull(store(cache, "three", peer(0)));
        assertThat(cache.remove(two)).isTrue();
        assertThat(cache.remove(two)).isFalse();
        assertThat(cache.take(peer(0), ROUTE)).isEqualTo("three");
        assertThat(cache.remove(three)).isFalse();
        assertThat(cache.remove(one)).isTrue();
        assertThat(cache.size()).isZero();
        assertThat(closed).isEmpty();
    }

    // ---- several loops ----

    @Test
    void loopAtItsShareGivesUpItsOwn() {
        KeepaliveCache<String> one = cache(keepalive(4, false), server('a'));
        KeepaliveCache<String> two = another();
        store(two, "two-1", peer(0));
        store(two, "two-2", peer(0));
        for (int i = 1; i <= 3; i++) {
            store(one, "one-" + i, peer(0));
        }
        assertThat(closed).containsExactly("one-1");
        assertThat(two.size()).isEqualTo(2);
    }

    @Test
    void loopBelowItsShareHasTheFullestGiveOneUp() {
        KeepaliveCache<String> one = cache(keepalive(4, false), server('a'));
        KeepaliveCache<String> two = another();
        for (int i = 1; i <= 4; i++) {
            store(two, "two-" + i, peer(0));
        }
        assertThat(store(one, "one-1", peer(0))).isNotNull();
        assertThat(closed).as("that is for the other loop to do").isEmpty();
        runLoops();
        assertThat(closed).containsExactly("two-1");
        assertThat(one.size() + two.size()).isEqualTo(4);
    }

    @Test
    void moreLoopsThanConnections() {
        KeepaliveCache<String> one = cache(keepalive(1, false), server('a'));
        KeepaliveCache<String> two = another();
        KeepaliveCache<String> three = another();
        store(one, "one", peer(0));
        store(two, "two", peer(0));
        runLoops();
        store(three, "three", peer(0));
        runLoops();
        assertThat(closed).containsExactly("one", "two");
        assertThat(three.size()).isEqualTo(1);
    }

    @Test
    void requestToEvictIsPassedOnByWhoHasNothingLeft() {
        KeepaliveCache<String> one = cache(keepalive(2, false), server('a'));
        KeepaliveCache<String> two = another();
        KeepaliveCache<String> three = another();
        store(one, "one", peer(0));
        store(two, "two", peer(0));
        // asks the first of the two that are equally full
        store(three, "three", peer(0));
        assertThat(one.take(peer(0), ROUTE)).isEqualTo("one");
        // the total has fallen to 2 and rises to 3 again: now the second is asked
        store(three, "three-2", peer(0));
        runLoops();
        assertThat(groups.group("g").idleLimit().total()).isEqualTo(2);
    }

    @Test
    void closedLoopTakesNoPart() {
        KeepaliveCache<String> one = cache(keepalive(4, false), server('a'));
        KeepaliveCache<String> two = another();
        store(two, "two", peer(0));
        two.close();
        assertThat(closed).containsExactly("two");
        for (int i = 1; i <= 4; i++) {
            store(one, "one-" + i, peer(0));
        }
        assertThat(one.size()).as("its share is the whole").isEqualTo(4);
    }

    @Test
    void loopThatIsShutDownIsForgotten() {
        KeepaliveCache<String> one = cache(keepalive(4, false), server('a'), server('b'));
        loops.get(0).shutDown = true;
        groups.configure(config("g", keepalive(4, false), server('a')));
        assertThat(groups.group("g").idleLimit().share(4)).isEqualTo(4);
        assertThat(one.size()).isZero();
    }

    // ---- the group changes ----

    @ParameterizedTest
    @EnumSource(names = {"DOWN", "DRAIN"})
    void serverThatIsNotUpKeepsNone(AdminState state) {
        KeepaliveCache<String> cache = cache(keepalive(8, false), server('a'), server('b'));
        store(cache, "one", peer(0));
        store(cache, "other", peer(1));
        groups.configure(config("g", keepalive(8, false), server('a').withState(state), server('b')));
        runLoops();
        assertThat(closed).containsExactly("one");
        assertThat(store(cache, "late", peer(0))).isNull();
        groups.configure(config("g", keepalive(8, false), server('a'), server('b')));
        assertThat(store(cache, "again", peer(0))).isNotNull();
    }

    @Test
    void connectionsToARemovedPeerAreClosed() {
        KeepaliveCache<String> cache = cache(keepalive(8, false), server('a'), server('b'));
        Peer removed = peer(0);
        store(cache, "one", removed);
        store(cache, "two", peer(1));
        groups.configure(config("g", keepalive(8, false), server('b')));
        assertThat(store(cache, "late", removed)).isNull();
        runLoops();
        assertThat(closed).containsExactly("one");
        assertThat(cache.take(peer(0), ROUTE)).isEqualTo("two");
    }

    @Test
    void connectionsAreClosedWhenThereMayBeFewer() {
        KeepaliveCache<String> one = cache(keepalive(8, false), server('a'));
        KeepaliveCache<String> two = another();
        for (int i = 1; i <= 5; i++) {
            store(one, "one-" + i, peer(0));
        }
        store(two, "two-1", peer(0));
        groups.configure(config("g", keepalive(2, false), server('a')));
        runLoops();
        assertThat(closed).containsExactly("one-1", "one-2", "one-3", "one-4");
        groups.configure(config("g", KeepaliveConfig.NONE, server('a')));
        runLoops();
        assertThat(one.size() + two.size()).isZero();
    }

    @Test
    void connectionsOfARemovedGroupAreClosed() {
        KeepaliveCache<String> cache = cache(keepalive(8, false), server('a'));
        UpstreamGroup group = groups.group("g");
        Peer peer = peer(0);
        store(cache, "one", peer);
        groups.configure();
        assertThat(group.isClosed()).isTrue();
        assertThat(store(cache, "late", peer)).isNull();
        runLoops();
        assertThat(closed).containsExactly("one");
        assertThat(cache.size()).isZero();
    }
}
