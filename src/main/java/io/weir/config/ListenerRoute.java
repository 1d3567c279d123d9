package io.weir.config;

/** Which of a listener's clients or requests go where. */
public sealed interface ListenerRoute permits RouteConfig, StreamRouteConfig {

    /** Each once in a listener. */
    String name();
}
