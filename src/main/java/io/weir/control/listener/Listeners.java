package io.weir.control.listener;

import io.weir.config.AccessLogConfig;
import io.weir.config.InvalidConfigException;
import io.weir.config.ListenerConfig;
import io.weir.control.change.Refusal;
import io.weir.control.state.ConfigState;
import java.util.List;
import java.util.Objects;

/** Finds listeners in a state, and tells whether another fits in. */
final class Listeners {

    private Listeners() {}

    static ListenerConfig find(ConfigState state, String listener) {
        return state.config().listener(listener).orElseThrow(() -> Refusal.notFound("listener " + listener));
    }

    /** Checks that no other listener has the address, and says so of the listener that the request is about. */
    static void checkPortFree(ConfigState state, ListenerConfig listener) {
        for (ListenerConfig other : state.config().listeners()) {
            if (!other.name().equals(listener.name()) && other.sharesSocketWith(listener)) {
                throw new InvalidConfigException("port", "is taken by listener " + other.name());
            }
        }
    }

    /** Checks that the listeners that log to the same file rotate it in one way; says so of this one, wherever it stands. */
    static void checkRotation(ConfigState state, ListenerConfig listener) {
        AccessLogConfig log = listener.accessLog();
        for (ListenerConfig other :
                log.file() == null ? List.<ListenerConfig>of() : state.config().listeners()) {
            if (!other.name().equals(listener.name())
                    && Objects.equals(other.accessLog().file(), log.file())
                    && !Objects.equals(other.accessLog().rotate(), log.rotate())) {
                throw new InvalidConfigException(
                        "accessLog.rotate",
                        "must be that of listener " + other.name() + ", which logs to the same file");
            }
        }
    }
}
