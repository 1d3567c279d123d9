package io.weir.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.KeepaliveConfig;
import io.weir.config.ProxySettings;
import io.weir.config.ServerConfig;
import io.weir.zone.FailureReason;
import io.weir.zone.Peer;
import io.weir.zone.PeerSnapshot;
import io.weir.zone.Servers;
import io.weir.zone.ZoneSnapshot;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many threads at one zone, while its configuration changes. */
@Timeout(180)
class ConcurrencyTest {

    private static final int THREADS = 4;
    private static final int REQUESTS = 20_000;

    private final Groups groups = new Groups();

    @Test
    void nothingIsLostAndNothingIsCountedTwice() throws Exception {
        groups.configure(Groups.config("g", stable(), server('b', 2), server('c', 3)));
        UpstreamGroup group = groups.group("g");
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            Future<Integer> changes = threads.submit(() -> change(done));
            List<Future<long[]>> workers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                workers.add(threads.submit(() -> work(group)));
            }
            long requests = 0;
            long onStable = 0;
            for (Future<long[]> worker : workers) {
                requests += worker.get()[0];
                onStable += worker.get()[1];
            }
            done.set(true);
            assertThat(changes.get()).isPositive();

            ZoneSnapshot snapshot = group.snapshot();
            assertThat(snapshot.peers()).allSatisfy(p -> assertThat(p.conns()).isZero());
            assertThat(snapshot.zombies()).isZero();
            PeerSnapshot a = snapshot.peers().stream()
                    .filter(p -> p.id() == 0)
                    .findFirst()
                    .orElseThrow();
            assertThat(a.totals().requests()).isEqualTo(onStable);
            assertThat(a.totals().responses().sum() + a.totals().failures().sum())
                    .isEqualTo(onStable);
            assertThat(snapshot.totals().requests().sum()).isEqualTo(requests);
            assertThat(requests).isEqualTo((long) THREADS * REQUESTS);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Never leaves the group, and is never taken out. */
    private static ServerConfig stable() {
        return server('a', 1).withFails(0, "10s");
    }

    private static ServerConfig server(char letter, int weight) {
        return Servers.server(letter, weight);
    }

    private int change(AtomicBoolean done) {
        Random random = new Random(1);
        int changes = 0;
        while (!done.get()) {
            List<ServerConfig> servers = new ArrayList<>(List.of(stable()));
            for (char letter = 'b'; letter <= 'f'; letter++) {
                if (random.nextBoolean()) {
                    servers.add(server(letter, 1 + random.nextInt(9)));
                }
            }
            groups.configure(Groups.config("g", servers.toArray(ServerConfig[]::new)));
            groups.group("g").snapshot();
            changes++;
        }
        return changes;
    }

    /** How many requests there were, and how many attempts went to the peer that stays. */
    private static long[] work(UpstreamGroup group) {
        long onStable = 0;
        for (int i = 0; i < REQUESTS; i++) {
            PeerConnection connection = group.open(ProxySettings.DEFAULT);
            Peer peer = Objects.requireNonNull(connection.get());
            if (peer.id() == 0) {
                onStable++;
            }
            if (ThreadLocalRandom.current().nextInt(10) == 0) {
                connection.free(Outcome.FAILED, FailureReason.RESET);
            } else {
                connection.headerReceived(200);
                connection.free(Outcome.OK, null);
            }
            group.countRequest(200, 1_000);
        }
        return new long[] {REQUESTS, onStable};
    }

    @Test
    void maxConnsHoldsAcrossThreads() throws Exception {
        groups.configure(Groups.config(
                "g", server('a', 5).withMaxConns(2), server('b', 1).withMaxConns(1)));
        UpstreamGroup group = groups.group("g");
        AtomicInteger[] inUse = {new AtomicInteger(), new AtomicInteger()};
        Callable<Integer> worker = () -> {
            int served = 0;
            for (int i = 0; i < REQUESTS; i++) {
                PeerConnection connection = group.open(ProxySettings.DEFAULT);
                Peer peer = connection.get();
                if (peer != null) {
                    int now = inUse[peer.id()].incrementAndGet();
                    assertThat(now).isLessThanOrEqualTo(peer.id() == 0 ? 2 : 1);
                    inUse[peer.id()].decrementAndGet();
                    connection.free(Outcome.OK, null);
                    served++;
                }
            }
            return served;
        };
        assertThat(sum(run(worker))).isPositive();
        assertThat(group.snapshot().peers())
                .allSatisfy(p -> assertThat(p.conns()).isZero());
    }

    private static List<Integer> run(Callable<Integer> worker) throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Integer> results = new ArrayList<>();
            for (Future<Integer> result : threads.invokeAll(Collections.nCopies(THREADS, worker))) {
                results.add(result.get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    private static int sum(List<Integer> values) {
        return values.stream().mapToInt(Integer::intValue).sum();
    }

    @Test
    void idleConnectionsStayWithinTheLimitOfTheGroup() throws Exception {
        int limit = 6;
        groups.configure(Groups.config("g", Groups.keepalive(limit, false), server('a', 1), server('b', 1)));
        UpstreamGroup group = groups.group("g");
        AtomicInteger open = new AtomicInteger();
        List<ExecutorService> loops = new ArrayList<>();
        List<KeepaliveCache<Object>> caches = new ArrayList<>();
        try {
            List<Future<?>> runs = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                ExecutorService loop = Executors.newSingleThreadExecutor();
                loops.add(loop);
                caches.add(KeepaliveCache.create(group, loop, c -> open.decrementAndGet()));
            }
            for (int i = 0; i < THREADS; i++) {
                KeepaliveCache<Object> cache = caches.get(i);
                ExecutorService loop = loops.get(i);
                for (int r = 0; r < 5_000; r++) {
                    runs.add(loop.submit(() -> takeAndStore(group, cache, open)));
                }
            }
            for (Future<?> run : runs) {
                run.get();
            }
            // what one loop asks of another may be asked on, but not more often than there are loops
            for (int round = 0; round < THREADS; round++) {
                for (ExecutorService loop : loops) {
                    loop.submit(() -> {}).get();
                }
            }
            assertThat(group.idleLimit().total()).isPositive().isLessThanOrEqualTo(limit);
            assertThat(open.get()).isEqualTo(group.idleLimit().total());
            assertThat(group.snapshot().idle()).isEqualTo(group.idleLimit().total());

            groups.configure(Groups.config("g", KeepaliveConfig.NONE, server('a', 1), server('b', 1)));
            for (ExecutorService loop : loops) {
                loop.submit(() -> {}).get();
            }
            assertThat(open.get()).isZero();
        } finally {
            for (ExecutorService loop : loops) {
                loop.shutdown();
                assertThat(loop.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    private static void takeAndStore(UpstreamGroup group, KeepaliveCache<Object> cache, AtomicInteger open) {
        Peer peer = group.zone().primary().peer(ThreadLocalRandom.current().nextInt(2));
        int wanted = 1 + ThreadLocalRandom.current().nextInt(3);
        List<Object> taken = new ArrayList<>();
        for (int i = 0; i < wanted; i++) {
            Object connection = cache.take(peer, "route");
            if (connection == null) {
                connection = new Object();
                open.incrementAndGet();
            }
            taken.add(connection);
        }
        for (Object connection : taken) {
            if (cache.store(connection, peer, "route", 1, 0, 0) == null) {
                open.decrementAndGet();
            }
        }
    }
}
