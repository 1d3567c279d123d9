package io.weir.proxy.http;

import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.Future;
import io.weir.config.InvalidConfigException;
import io.weir.config.RouteTarget;
import io.weir.config.ServerAddress;
import io.weir.upstream.UpstreamGroup;
import io.weir.upstream.Upstreams;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds where a route's address with variables points for one request. The value may name a group; else it is an implicit
 * group for this request alone, so that its failures are forgotten with it, as in nginx.
 */
final class AddressTargets {

    private static final Logger log = LoggerFactory.getLogger(AddressTargets.class);
    private static final String SCHEME = "http://";

    private final Upstreams upstreams;
    private final AddressResolverGroup<InetSocketAddress> names;

    AddressTargets(Upstreams upstreams, AddressResolverGroup<InetSocketAddress> names) {
        this.upstreams = upstreams;
        this.names = names;
    }

    /** Where to go with the answer. */
    interface Found {
        /**
         * @param group null if there is none
         * @param proxyHost the Host that the upstream is told
         */
        void accept(@Nullable UpstreamGroup group, String proxyHost);
    }

    /** Calls {@code found} on the loop, at once or when the name server has answered. */
    void find(Loop loop, String url, Found found) {
        String authority = url.startsWith(SCHEME) ? url.substring(SCHEME.length()) : url;
        UpstreamGroup group = upstreams.groupInAnyCase(authority);
        if (group != null) {
            found.accept(group, authority);
            return;
        }
        ServerAddress address;
        try {
            address = RouteTarget.Address.parse(url);
        } catch (InvalidConfigException e) {
            // what a client wrote is escaped, or it could write lines of the log
            log.warn(
                    "a route's address came out as {}, which {}",
                    Escapes.path(authority),
                    e.violations().get(0).message());
            found.accept(null, "");
            return;
        }
        String proxyHost = RouteCompiler.proxyHost(address);
        if (address.isUnix()) {
            found.accept(null, proxyHost);
            return;
        }
        names.getResolver(loop.executor())
                .resolveAll(InetSocketAddress.createUnresolved(address.host(), address.port()))
                .addListener((Future<List<InetSocketAddress>> done) -> {
                    if (done.isSuccess()) {
                        found.accept(upstreams.implicit(address.canonical(), done.getNow()), proxyHost);
                    } else {
                        log.warn(
                                "cannot resolve {}: {}",
                                address.host(),
                                done.cause().toString());
                        found.accept(null, proxyHost);
                    }
                });
    }
}
