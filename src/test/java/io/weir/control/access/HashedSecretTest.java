package io.weir.control.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.security.crypto.bcrypt.BCrypt;

class HashedSecretTest {

    /** While one guess is worked out others are turned away at once, but not whoever is known. */
    @Test
    void guessesKeepOneThreadBusyAndNobodyOut() throws Exception {
        HashedSecret secret = new HashedSecret(BCrypt.hashpw("secret", BCrypt.gensalt(10)));
        assertThat(secret.is("secret")).isTrue();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            AtomicBoolean done = new AtomicBoolean();
            AtomicInteger refused = new AtomicInteger();
            AtomicInteger busy = new AtomicInteger();
            for (int i = 0; i < 2; i++) {
                threads.submit(() -> {
                    while (!done.get()) {
                        try {
                            assertThat(secret.is("guess")).isFalse();
                            refused.incrementAndGet();
                        } catch (BusyException e) {
                            busy.incrementAndGet();
                        }
                    }
                    return null;
                });
            }
            await().until(() -> refused.get() > 1 && busy.get() > 1);
            Future<Boolean> known = threads.submit(() -> secret.is("secret"));
            assertThat(known.get()).isTrue();
            done.set(true);
        } finally {
            threads.shutdownNow();
        }
    }
}
