package io.weir.upstream;

import io.weir.config.ServerAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns the addresses of servers into those of peers; asks for each name once. Not thread-safe. */
final class Resolution {

    private static final Logger log = LoggerFactory.getLogger(Resolution.class);

    private final AddressResolver resolver;
    private final Map<String, List<InetAddress>> answers = new HashMap<>();

    Resolution(AddressResolver resolver) {
        this.resolver = resolver;
    }

    /** One or more socket addresses; empty if the name cannot be resolved. */
    List<SocketAddress> of(ServerAddress address) {
        if (address.isUnix()) {
            return List.of(UnixDomainSocketAddress.of(address.host()));
        }
        return answers.computeIfAbsent(address.host(), this::ask).stream()
                .<SocketAddress>map(ip -> new InetSocketAddress(ip, address.port()))
                .toList();
    }

    private List<InetAddress> ask(String host) {
        try {
            return isLiteral(host) ? List.of(InetAddress.getByName(host)) : resolver.resolve(host);
        } catch (UnknownHostException e) {
            log.debug("{} cannot be resolved", host, e);
            return List.of();
        }
    }

    /** An IP address, for which nobody need be asked; {@link ServerAddress} has seen to it that it is a valid one. */
    private static boolean isLiteral(String host) {
        return host.indexOf(':') >= 0 || host.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9'));
    }
}
