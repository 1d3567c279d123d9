package io.weir;

import io.weir.config.ActiveConfig;
import io.weir.upstream.AddressResolver;
import io.weir.upstream.Upstreams;
import io.weir.zone.Ticker;
import java.time.Clock;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Wires the running side to the configuration. */
@Configuration(proxyBeanMethods = false)
class WeirConfiguration {

    @Bean
    Ticker ticker() {
        return Ticker.system();
    }

    @Bean
    Clock clock() {
        return Clock.systemUTC();
    }

    /** The first to be prepared and committed: what listens needs its groups. */
    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    Upstreams upstreams(Ticker ticker) {
        return new Upstreams(ticker, AddressResolver.system());
    }

    @Bean
    ActiveConfig activeConfig(List<ActiveConfig.Subscriber> subscribers) {
        return new ActiveConfig(subscribers);
    }
}
