package io.weir.control.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.LoadBalancerApplication;
import io.weir.config.ActiveConfig;
import io.weir.config.ProxyConfig;
import io.weir.control.Api;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.JdbcTemplate;

/** A part of the running side fails on a change: the store, what is shown and what runs go on together. */
@SpringBootTest(
        classes = LoadBalancerApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.datasource.url=jdbc:h2:mem:running-side;DB_CLOSE_DELAY=-1",
            "weir.first-listener.enabled=false",
            "server.address=127.0.0.1"
        })
@Import(RunningSideFailureIT.Failing.class)
class RunningSideFailureIT {

    private static final String APP = "/api/v1/upstreams/app";

    /** How many times more it fails. */
    private static final AtomicInteger prepares = new AtomicInteger();

    private static final AtomicInteger commits = new AtomicInteger();

    /** Of the last change that it followed. */
    private static final AtomicInteger followed = new AtomicInteger();

    @LocalServerPort
    private int port;

    @Autowired
    private ActiveConfig active;

    @Autowired
    private JdbcTemplate jdbc;

    private Api api;

    @BeforeEach
    void start() {
        prepares.set(0);
        commits.set(0);
        api = new Api(port);
        api.clear();
        api.put(APP, "{\"servers\":[{\"address\":\"127.0.0.1:1\"}]}");
    }

    @Test
    void anErrorWhileAChangeIsPreparedChangesNothing() {
        String before = api.everything();
        ProxyConfig running = active.current();
        prepares.set(1);
        assertFailed(api.patch(APP + "/servers/1", "{\"weight\":9}"));
        assertThat(api.everything()).isEqualTo(before);
        assertThat(active.current()).isSameAs(running);
        assertThat(storedWeight()).isEqualTo(1);
        assertThat(api.patch(APP + "/servers/1", "{\"weight\":9}").status()).isEqualTo(200);
    }

    @Test
    void aChangeThatIsStoredAndNotFollowedIsFollowedBeforeTheNext() {
        commits.set(1);
        assertFailed(api.patch(APP + "/servers/1", "{\"weight\":9}"));
        assertThat(storedWeight()).isEqualTo(9);
        assertThat(api.get(APP + "/servers/1").json().path("weight").asInt()).isEqualTo(9);
        long revision = active.current().revision();
        assertThat(followed.get()).isEqualTo(revision - 1);
        assertThat(api.patch(APP + "/servers/1", "{\"weight\":9}").status()).isEqualTo(200);
        assertThat(followed.get()).isEqualTo(revision);
    }

    @Test
    void aChangeThatCannotBeFollowedIsNotInTheWayOfTheNext() {
        commits.set(2);
        assertFailed(api.patch(APP + "/servers/1", "{\"weight\":9}"));
        assertThat(api.patch(APP + "/servers/1", "{\"weight\":8}").status()).isEqualTo(200);
        assertThat(storedWeight()).isEqualTo(8);
        assertThat(followed.get()).isEqualTo(active.current().revision());
    }

    private int storedWeight() {
        return jdbc.queryForObject("select weight from server", Integer.class);
    }

    private static void assertFailed(Api.Reply reply) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(500);
        assertThat(reply.json().path("code").asString()).isEqualTo("INTERNAL");
    }

    /** A part that fails as it is told to. */
    @TestConfiguration(proxyBeanMethods = false)
    static class Failing {

        @Bean
        @Order(0)
        ActiveConfig.Subscriber failing() {
            return (current, next) -> {
                fail(prepares);
                return new ActiveConfig.Prepared() {
                    @Override
                    public void commit() {
                        fail(commits);
                        followed.set((int) next.revision());
                    }

                    @Override
                    public void abort() {}
                };
            };
        }

        private static void fail(AtomicInteger times) {
            if (times.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                throw new OutOfMemoryError("on purpose");
            }
        }
    }
}
