package io.weir.proxy;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A client of UDP with one socket. */
final class UdpClient implements AutoCloseable {

    private static final int GENEROUS_MILLIS = 60_000;

    private final DatagramSocket socket;
    private final InetSocketAddress to;
    private InetSocketAddress from;

    private UdpClient(InetSocketAddress to) throws IOException {
        this.socket = new DatagramSocket(0, InetAddress.getByName("127.0.0.1"));
        this.to = to;
    }

    static UdpClient to(int port) throws IOException {
        return to("127.0.0.1", port);
    }

    static UdpClient to(String address, int port) throws IOException {
        return new UdpClient(new InetSocketAddress(address, port));
    }

    int port() {
        return socket.getLocalPort();
    }

    void send(String text) throws IOException {
        send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void send(byte[] datagram) throws IOException {
        socket.send(new DatagramPacket(datagram, datagram.length, to));
    }

    byte[] receiveBytes() throws IOException {
        return receive(GENEROUS_MILLIS);
    }

    private byte[] receive(int millis) throws IOException {
        socket.setSoTimeout(millis);
        DatagramPacket packet = new DatagramPacket(new byte[65_535], 65_535);
        socket.receive(packet);
        from = (InetSocketAddress) packet.getSocketAddress();
        return Arrays.copyOf(packet.getData(), packet.getLength());
    }

    String receive() throws IOException {
        return UdpBackend.text(receiveBytes());
    }

    /** Who sent what was received last. */
    InetSocketAddress from() {
        return from;
    }

    String ask(String text) throws IOException {
        send(text);
        return receive();
    }

    /** Whether nothing has come; of what is done already. */
    boolean hasNothing() throws IOException {
        try {
            receive(1);
            return false;
        } catch (SocketTimeoutException e) {
            return true;
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
