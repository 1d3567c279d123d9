package io.weir.proxy.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.weir.zone.FakeTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DeadlinesTest {

    private final FakeTicker ticker = new FakeTicker();
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final Deadlines deadlines = new Deadlines(channel.eventLoop(), ticker);
    private final List<String> expired = new ArrayList<>();
    private long millis;

    DeadlinesTest() {
        channel.freezeTime();
    }

    private class Named extends Deadlines.Timeout {
        private final String name;
        private long expiredAt = -1;

        Named(String name) {
            this.name = name;
        }

        @Override
        protected void expired() {
            expired.add(name);
            expiredAt = millis;
        }
    }

    private Named arm(String name, long after) {
        Named timeout = new Named(name);
        arm(timeout, after);
        return timeout;
    }

    private void arm(Deadlines.Timeout timeout, long after) {
        deadlines.arm(timeout, TimeUnit.MILLISECONDS.toNanos(after));
    }

    /** Lets time pass a millisecond at a time. */
    private void pass(long time) {
        for (long i = 0; i < time; i++) {
            millis++;
            ticker.advance(Duration.ofMillis(1));
            channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
            channel.runScheduledPendingTasks();
        }
    }

    /** The process stands still, then goes on. */
    private void pause(long time) {
        millis += time;
        ticker.advance(Duration.ofMillis(time));
        channel.advanceTimeBy(time, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
    }

    private boolean isDriven() {
        return channel.runScheduledPendingTasks() >= 0;
    }

    @Test
    void neverEarlyAndAtMostThreeTicksLate() {
        Random random = new Random(7);
        List<Named> timeouts = new ArrayList<>();
        List<Long> due = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            // far beyond one turn of the wheel, which is 512 ticks of 20 ms
            long after = random.nextInt(30_000);
            timeouts.add(arm("t" + i, after));
            due.add(millis + after);
            pass(random.nextInt(4));
        }
        pass(31_000);
        for (int i = 0; i < timeouts.size(); i++) {
            assertThat(timeouts.get(i).expiredAt).isBetween(due.get(i), due.get(i) + 3 * Deadlines.TICK_MILLIS);
        }
        assertThat(expired).hasSize(timeouts.size());
    }

    @Test
    void armedAgainCountsFromThen() {
        Named timeout = arm("a", 100);
        pass(80);
        arm(timeout, 100);
        pass(90);
        assertThat(expired).isEmpty();
        pass(60);
        assertThat(expired).containsExactly("a");
    }

    @Test
    void mayBeMovedEarlier() {
        Named timeout = arm("a", 60_000);
        arm(timeout, 50);
        pass(100);
        assertThat(timeout.expiredAt).isBetween(50L, 50L + 3 * Deadlines.TICK_MILLIS);
        pass(61_000);
        assertThat(expired).containsExactly("a");
    }

    @Test
    void disarmedOrForgottenNeverExpires() {
        Named disarmed = arm("disarmed", 100);
        Named forgotten = arm("forgotten", 100);
        disarmed.disarm();
        deadlines.forget(forgotten);
        pass(300);
        assertThat(expired).isEmpty();
        arm(disarmed, 100);
        arm(forgotten, 100);
        pass(300);
        assertThat(expired).containsExactlyInAnyOrder("disarmed", "forgotten");
    }

    @Test
    void mayArmItselfAndOthersWhileExpiring() {
        Named other = new Named("other");
        Deadlines.Timeout again = new Deadlines.Timeout() {
            private int times;

            @Override
            protected void expired() {
                expired.add("again");
                if (++times < 3) {
                    arm(this, 0);
                    arm(other, 0);
                }
            }
        };
        arm(again, 10);
        pass(400);
        assertThat(expired.stream().filter("again"::equals)).hasSize(3);
        assertThat(expired).contains("other");
    }

    @Test
    void mayForgetAnotherOfTheSameMoment() {
        List<Named> both = new ArrayList<>();
        for (String name : List.of("a", "b")) {
            Named timeout = new Named(name) {
                @Override
                protected void expired() {
                    super.expired();
                    both.forEach(deadlines::forget);
                }
            };
            both.add(timeout);
            arm(timeout, 100);
        }
        pass(300);
        assertThat(expired).hasSize(1);
    }

    @Test
    void allThatIsDueExpiresOnceAfterALongPause() {
        for (int i = 1; i <= 100; i++) {
            arm("t" + i, i * 1_000);
        }
        pause(50_500);
        pass(100);
        assertThat(expired).hasSize(50);
        pass(50_000);
        assertThat(expired).hasSize(100).doesNotHaveDuplicates();
    }

    /** The loop reads what has come before it lets anything time out: nginx polls, then expires. */
    @Test
    void whoIsServedRightAfterAPauseDoesNotExpire() {
        Named served = arm("served", 1_000);
        arm("silent", 1_000);
        pass(100);
        ticker.advance(Duration.ofSeconds(5));
        // the rest of the turn in which the process stood still, then the sockets' turn
        pass(Deadlines.TICK_MILLIS);
        assertThat(expired).isEmpty();
        arm(served, 1_000);
        pass(500);
        assertThat(expired).containsExactly("silent");
    }

    @Test
    void oneThatThrowsTakesNobodyWithIt() {
        arm(
                new Deadlines.Timeout() {
                    @Override
                    protected void expired() {
                        throw new IllegalStateException("meant to be");
                    }
                },
                100);
        arm("same moment", 100);
        arm("later", 500);
        pass(700);
        assertThat(expired).containsExactly("same moment", "later");
    }

    @Test
    void nothingRunsWhileNothingIsArmed() {
        arm("a", 100);
        pass(200);
        assertThat(expired).containsExactly("a");
        // -1: no task is scheduled
        assertThat(channel.runScheduledPendingTasks()).isEqualTo(-1);
        arm("b", 100);
        assertThat(isDriven()).isTrue();
        pass(200);
        assertThat(expired).containsExactly("a", "b");
    }
}
