package io.weir.control.listener;

import io.swagger.v3.oas.annotations.media.DiscriminatorMapping;
import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.config.HttpListenerConfig;
import io.weir.config.ListenerConfig;
import io.weir.config.StreamListenerConfig;

/** A listener as the API shows it. */
@Schema(
        name = "Listener",
        description = "A socket that accepts clients. What it has beside the socket depends on its protocol.",
        oneOf = {HttpListenerView.class, StreamListenerView.class},
        discriminatorProperty = "protocol",
        discriminatorMapping = {
            @DiscriminatorMapping(value = "http", schema = HttpListenerView.class),
            @DiscriminatorMapping(value = "tcp", schema = StreamListenerView.class),
            @DiscriminatorMapping(value = "udp", schema = StreamListenerView.class)
        })
sealed interface ListenerView permits HttpListenerView, StreamListenerView {

    static ListenerView of(ListenerConfig config) {
        return config instanceof HttpListenerConfig http
                ? HttpListenerView.of(http)
                : StreamListenerView.of((StreamListenerConfig) config);
    }
}
