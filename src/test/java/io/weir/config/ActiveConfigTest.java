package io.weir.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ActiveConfigTest {

    private final List<String> told = new ArrayList<>();
    private final Part first = new Part("first");
    private final Part second = new Part("second");
    private final ActiveConfig active = new ActiveConfig(List.of(first, second));

    private static ProxyConfig revision(long revision) {
        return new ProxyConfig(revision, List.of(), List.of());
    }

    /** Notes what it is told to do, and fails when it is to. */
    private final class Part implements ActiveConfig.Subscriber {

        private final String name;
        private String failsAt = "";

        Part(String name) {
            this.name = name;
        }

        @Override
        public ActiveConfig.Prepared prepare(ProxyConfig current, ProxyConfig next) {
            tell("prepare");
            return new ActiveConfig.Prepared() {
                @Override
                public void commit() {
                    tell("commit");
                }

                @Override
                public void abort() {
                    tell("abort");
                }
            };
        }

        private void tell(String what) {
            told.add(name + " " + what);
            if (failsAt.equals(what)) {
                throw new OutOfMemoryError(name);
            }
        }
    }

    @Test
    void anErrorInPrepareChangesNothing() {
        second.failsAt = "prepare";
        assertThatThrownBy(() -> active.prepare(revision(1))).isInstanceOf(OutOfMemoryError.class);
        assertThat(told).containsExactly("first prepare", "second prepare", "first abort");
        assertThat(active.current()).isSameAs(ProxyConfig.EMPTY);
        second.failsAt = "";
        active.prepare(revision(1)).commit();
        assertThat(active.current().revision()).isEqualTo(1);
    }

    @Test
    void aPartThatFailsToCommitKeepsNoOtherFromIt() {
        first.failsAt = "commit";
        ActiveConfig.Change change = active.prepare(revision(1));
        assertThatThrownBy(change::commit)
                .isInstanceOf(IncompleteCommitException.class)
                .hasCauseInstanceOf(OutOfMemoryError.class);
        assertThat(told).containsExactly("first prepare", "second prepare", "first commit", "second commit");
        assertThat(active.current().revision()).isEqualTo(1);
    }

    @Test
    void aPartThatFailsToAbortKeepsNoOtherFromIt() {
        second.failsAt = "abort";
        ActiveConfig.Change change = active.prepare(revision(1));
        assertThatThrownBy(change::abort)
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1).hasOnlyElementsOfType(OutOfMemoryError.class));
        assertThat(told).endsWith("second abort", "first abort");
    }
}
