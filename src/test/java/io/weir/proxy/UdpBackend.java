package io.weir.proxy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server of a test: a real socket of UDP that remembers what came, and from where, and answers by its script. */
final class UdpBackend implements AutoCloseable {

    @FunctionalInterface
    interface Script {
        /** The datagrams to send back. */
        List<byte[]> answers(byte[] datagram);
    }

    private final DatagramSocket socket;
    private final Script script;
    private final List<String> received = new CopyOnWriteArrayList<>();
    private final List<SocketAddress> senders = new CopyOnWriteArrayList<>();

    private UdpBackend(Script script) {
        try {
            this.socket = new DatagramSocket(0, InetAddress.getByName("127.0.0.1"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.script = script;
        Thread thread = new Thread(this::serve, "udp-backend-" + socket.getLocalPort());
        thread.setDaemon(true);
        thread.start();
    }

    static UdpBackend with(Script script) {
        return new UdpBackend(script);
    }

    /** Answers with its name and what came. */
    static UdpBackend named(String name) {
        return with(datagram -> List.of((name + text(datagram)).getBytes(StandardCharsets.ISO_8859_1)));
    }

    static UdpBackend echo() {
        return with(List::of);
    }

    static UdpBackend silent() {
        return with(datagram -> List.of());
    }

    static String text(byte[] datagram) {
        return new String(datagram, StandardCharsets.ISO_8859_1);
    }

    private void serve() {
        byte[] buffer = new byte[65_535];
        try {
            while (true) {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                socket.receive(packet);
                byte[] datagram = Arrays.copyOf(buffer, packet.getLength());
                senders.add(packet.getSocketAddress());
                received.add(text(datagram));
                for (byte[] answer : script.answers(datagram)) {
                    socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
                }
            }
        } catch (IOException e) {
            // closed, as its test ends
        }
    }

    /** Sends to the last one that something came from. */
    void push(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        socket.send(new DatagramPacket(bytes, bytes.length, senders.get(senders.size() - 1)));
    }

    String address() {
        return "127.0.0.1:" + socket.getLocalPort();
    }

    List<String> received() {
        return received;
    }

    /** Sockets that something came from, one for each session. */
    long sessions() {
        return senders.stream().distinct().count();
    }

    @Override
    public void close() {
        socket.close();
    }
}
