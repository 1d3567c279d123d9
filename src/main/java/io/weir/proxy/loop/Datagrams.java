package io.weir.proxy.loop;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What datagrams need beyond Netty's channels. On the loop of the channel. */
public final class Datagrams {

    /** Bytes that no datagram exceeds. */
    public static final int LARGEST = 65_535;

    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(1);

    private Datagrams() {}

    /**
     * Connects, which sends nothing: from now on only datagrams of this peer come, and that nobody listens there comes as an
     * error of reading.
     *
     * <p>A native channel is connected behind Netty's back. One that Netty knows to be connected takes a datagram without
     * bytes for the lack of one.
     *
     * @throws IOException if there is no way there
     */
    public static void connect(Channel channel, InetSocketAddress peer) throws IOException {
        if (channel instanceof UnixChannel unix) {
            new Socket(unix.fd().intValue()).connect(peer);
            return;
        }
        ChannelFuture done = channel.connect(peer);
        if (done.cause() != null) {
            throw new IOException(done.cause());
        }
    }

    /**
     * Sends a datagram without bytes, which Netty's channels leave out. Lost where they are not native.
     *
     * @param to null for who the channel is connected to
     * @throws IOException if it cannot be sent
     */
    public static void sendEmpty(Channel channel, @Nullable InetSocketAddress to) throws IOException {
        if (channel instanceof UnixChannel unix) {
            Socket socket = new Socket(unix.fd().intValue());
            if (to == null) {
                socket.send(NOTHING, 0, 0);
            } else {
                socket.sendTo(NOTHING, 0, 0, to.getAddress(), to.getPort());
            }
        }
    }

    /** The same bytes in a buffer that fits, so that a small datagram that waits does not keep the room for a large one. */
    public static ByteBuf fitting(Channel channel, ByteBuf datagram) {
        int bytes = datagram.readableBytes();
        if (bytes > LARGEST / 2) {
            return datagram;
        }
        ByteBuf copy = channel.alloc().directBuffer(bytes).writeBytes(datagram);
        datagram.release();
        return copy;
    }
}
