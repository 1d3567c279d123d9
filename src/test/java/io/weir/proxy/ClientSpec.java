package io.weir.proxy;

import io.weir.config.ByteSize;
import io.weir.config.ClientSettings;
import io.weir.config.HeaderBuffers;
import io.weir.config.TimeSpan;

/** What a test grants clients: nginx's defaults, but for what it says. */
final class ClientSpec {

    private static final ClientSettings STANDARD = ClientSettings.DEFAULT;

    private TimeSpan header = STANDARD.headerTimeout();
    private TimeSpan body = STANDARD.bodyTimeout();
    private TimeSpan send = STANDARD.sendTimeout();
    private TimeSpan keepalive = STANDARD.keepaliveTimeout();
    private int keepaliveRequests = STANDARD.keepaliveRequests();
    private HeaderBuffers buffers = STANDARD.largeHeaderBuffers();
    private int headers = STANDARD.maxHeaders();
    private int connections;
    private int connectionsPerAddress;

    ClientSpec headerTimeout(String time) {
        header = TimeSpan.parse(time);
        return this;
    }

    ClientSpec bodyTimeout(String time) {
        body = TimeSpan.parse(time);
        return this;
    }

    ClientSpec sendTimeout(String time) {
        send = TimeSpan.parse(time);
        return this;
    }

    ClientSpec keepaliveTimeout(String time) {
        keepalive = TimeSpan.parse(time);
        return this;
    }

    ClientSpec keepaliveRequests(int most) {
        keepaliveRequests = most;
        return this;
    }

    ClientSpec headerBuffers(int count, String size) {
        buffers = new HeaderBuffers(count, ByteSize.parse(size));
        return this;
    }

    ClientSpec maxHeaders(int most) {
        headers = most;
        return this;
    }

    ClientSpec maxConnections(int most) {
        connections = most;
        return this;
    }

    ClientSpec maxConnectionsPerAddress(int most) {
        connectionsPerAddress = most;
        return this;
    }

    ClientSettings settings() {
        return new ClientSettings(
                header,
                body,
                send,
                keepalive,
                keepaliveRequests,
                buffers,
                headers,
                STANDARD.lingeringTimeout(),
                STANDARD.lingeringTime(),
                connections,
                connectionsPerAddress);
    }
}
