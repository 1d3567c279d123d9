package io.weir.proxy.stream;

import io.weir.proxy.log.LineBuffer;
import io.weir.proxy.loop.JsonFields;
import io.weir.upstream.Attempt;
import io.weir.upstream.PeerConnection;
import org.jspecify.annotations.Nullable;

/**
 * The format {@code json}: one object for each session, whose members are named as nginx's variables are. Numbers are
 * numbers, times are seconds with three decimals, and what has no value is left out.
 */
final class SessionJson {

    private static final byte[] LISTENER = JsonFields.key("listener");
    private static final byte[] ROUTE = JsonFields.key("route");
    private static final byte[] PROTOCOL = JsonFields.key("protocol");
    private static final byte[] REMOTE_ADDR = JsonFields.key("remote_addr");
    private static final byte[] STATUS = JsonFields.key("status");
    private static final byte[] BYTES_RECEIVED = JsonFields.key("bytes_received");
    private static final byte[] BYTES_SENT = JsonFields.key("bytes_sent");
    private static final byte[] SESSION_TIME = JsonFields.key("session_time");
    private static final byte[] SERVER_NAME = JsonFields.key("ssl_preread_server_name");
    private static final byte[] UPSTREAM = JsonFields.key("upstream");
    private static final byte[] CONNECT_TIME = JsonFields.key("connect_time");
    private static final byte[] FIRST_BYTE_TIME = JsonFields.key("first_byte_time");

    private SessionJson() {}

    static void write(LineBuffer line, Session session) {
        JsonFields.begin(line, session.loop().logLines().time());
        JsonFields.text(line, LISTENER, session.config().name());
        StreamTarget target = session.target();
        JsonFields.text(line, ROUTE, target == null ? null : target.route());
        JsonFields.text(line, PROTOCOL, SessionVariables.protocol(session.config()));
        JsonFields.address(line, REMOTE_ADDR, session.clientAddress());
        JsonFields.number(line, STATUS, session.status());
        JsonFields.number(line, BYTES_RECEIVED, session.bytesReceived());
        JsonFields.number(line, BYTES_SENT, session.bytesSent());
        JsonFields.time(line, SESSION_TIME, session.elapsedNanos());
        JsonFields.text(line, SERVER_NAME, serverName(session.hello()));
        if (target != null) {
            JsonFields.text(line, UPSTREAM, target.group().name());
        }
        PeerConnection peers = session.peers();
        if (peers != null) {
            JsonFields.attempts(line, peers, SessionJson::attempt);
        }
        line.put('}');
    }

    private static @Nullable String serverName(@Nullable ClientHello hello) {
        return hello == null || hello.serverName().isEmpty() ? null : hello.serverName();
    }

    private static void attempt(LineBuffer line, Attempt attempt) {
        JsonFields.time(line, CONNECT_TIME, attempt.connectNanos());
        JsonFields.time(line, FIRST_BYTE_TIME, attempt.headerNanos());
        JsonFields.time(line, SESSION_TIME, attempt.responseNanos());
        JsonFields.number(line, BYTES_SENT, attempt.bytesSent());
        JsonFields.number(line, BYTES_RECEIVED, attempt.bytesReceived());
    }
}
