package io.weir.upstream;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Turns host names into addresses. Called on control threads only, where it may block. */
@FunctionalInterface
public interface AddressResolver {

    /**
     * All addresses of {@code host}, at least one, in the order in which their peers shall stand.
     *
     * @throws UnknownHostException if there are none or nobody knows
     */
    List<InetAddress> resolve(String host) throws UnknownHostException;

    /** The system's. */
    static AddressResolver system() {
        return host -> List.of(InetAddress.getAllByName(host));
    }
}
