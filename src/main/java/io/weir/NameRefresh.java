package io.weir;

import io.weir.upstream.Upstreams;
import java.util.concurrent.TimeUnit;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Asks again for the names of servers that no name server knew when they were needed. */
@Component
@EnableScheduling
class NameRefresh {

    private final Upstreams upstreams;

    NameRefresh(Upstreams upstreams) {
        this.upstreams = upstreams;
    }

    @Scheduled(fixedDelay = 10, timeUnit = TimeUnit.SECONDS)
    void refresh() {
        upstreams.refreshUnresolved();
    }
}
