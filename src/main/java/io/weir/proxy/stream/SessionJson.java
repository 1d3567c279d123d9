package io.weir.proxy.stream;

import io.weir.proxy.log.LineBuffer;
import io.weir.proxy.log.LocalTime;
import io.weir.proxy.loop.CommonValues;
import io.weir.upstream.Attempt;
import io.weir.upstream.PeerConnection;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The format {@code json}: one object for each session, whose members are named as nginx's variables are. Numbers are
 * numbers, times are seconds with three decimals, and what has no value is left out.
 */
final class SessionJson {

    private static final long NANOS_IN_MILLI = 1_000_000;

    private static final byte[] LISTENER = key("listener");
    private static final byte[] ROUTE = key("route");
    private static final byte[] PROTOCOL = key("protocol");
    private static final byte[] REMOTE_ADDR = key("remote_addr");
    private static final byte[] STATUS = key("status");
    private static final byte[] BYTES_RECEIVED = key("bytes_received");
    private static final byte[] BYTES_SENT = key("bytes_sent");
    private static final byte[] SESSION_TIME = key("session_time");
    private static final byte[] SERVER_NAME = key("ssl_preread_server_name");
    private static final byte[] UPSTREAM = key("upstream");
    private static final byte[] ATTEMPTS = key("attempts");
    private static final byte[] CONNECT_TIME = key("connect_time");
    private static final byte[] FIRST_BYTE_TIME = key("first_byte_time");

    private static final byte[] TIME = ascii("{\"time\":\"");
    private static final byte[] ADDR = ascii("{\"addr\":\"");

    private SessionJson() {}

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** A name with what stands before and behind it. */
    private static byte[] key(String name) {
        return ascii(",\"" + name + "\":");
    }

    static void write(LineBuffer line, Session session) {
        LocalTime time = session.loop().logLines().time();
        line.put(TIME);
        line.put(time.isoSeconds());
        line.put('.');
        line.threeDigits((int) (time.millis() % 1000));
        line.put(time.isoOffset());
        line.put('"');
        text(line, LISTENER, session.config().name());
        StreamTarget target = session.target();
        text(line, ROUTE, target == null || target.route() == null ? "" : target.route());
        text(line, PROTOCOL, SessionVariables.protocol(session.config()));
        InetAddress client = session.clientAddress();
        if (client != null) {
            line.put(REMOTE_ADDR);
            line.put('"');
            CommonValues.address(line, client);
            line.put('"');
        }
        number(line, STATUS, session.status());
        number(line, BYTES_RECEIVED, session.bytesReceived());
        number(line, BYTES_SENT, session.bytesSent());
        time(line, SESSION_TIME, session.elapsedNanos());
        text(line, SERVER_NAME, SessionVariables.said(session, ClientHello::serverName));
        if (target != null) {
            text(line, UPSTREAM, target.group().name());
        }
        attempts(line, session.peers());
        line.put('}');
    }

    private static void attempts(LineBuffer line, @Nullable PeerConnection peers) {
        if (peers == null) {
            return;
        }
        line.put(ATTEMPTS);
        line.put('[');
        for (int i = 0; i < peers.attempts(); i++) {
            if (i > 0) {
                line.put(',');
            }
            attempt(line, peers.attempt(i));
        }
        line.put(']');
    }

    private static void attempt(LineBuffer line, Attempt attempt) {
        line.put(ADDR);
        line.json(attempt.peerName());
        line.put('"');
        if (attempt.status() != 0) {
            number(line, STATUS, attempt.status());
        }
        time(line, CONNECT_TIME, attempt.connectNanos());
        time(line, FIRST_BYTE_TIME, attempt.headerNanos());
        time(line, SESSION_TIME, attempt.responseNanos());
        number(line, BYTES_SENT, attempt.bytesSent());
        number(line, BYTES_RECEIVED, attempt.bytesReceived());
        line.put('}');
    }

    private static void text(LineBuffer line, byte[] key, String value) {
        if (!value.isEmpty()) {
            line.put(key);
            line.put('"');
            line.json(value);
            line.put('"');
        }
    }

    private static void number(LineBuffer line, byte[] key, long value) {
        line.put(key);
        line.number(value);
    }

    private static void time(LineBuffer line, byte[] key, long nanos) {
        if (nanos >= 0) {
            line.put(key);
            line.seconds(nanos / NANOS_IN_MILLI);
        }
    }
}
