package io.weir.zone;

/** Why an attempt counts as a failure of its peer. */
public enum FailureReason {
    CONNECT,
    CONNECT_TIMEOUT,
    SEND_TIMEOUT,
    READ_TIMEOUT,
    /** The connection ended or broke before the response head was complete. */
    RESET,
    /** The response head was not valid HTTP, or too large. */
    PROTOCOL,
    /** A response status that the configuration lists, and the request moved on. */
    HTTP_STATUS,
    TLS;

    /** Its place in an array of counters; means nothing outside this process. */
    @SuppressWarnings("EnumOrdinal") // counting is on the path of a request, where an EnumMap would box
    public int index() {
        return ordinal();
    }
}
