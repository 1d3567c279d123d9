package io.weir.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Lets a listening socket of Linux overlook who wants to connect, while those that are connecting already come through: a
 * SYN that gets no answer is sent again after a second, and is refused if the socket is closed by then. So a socket can be
 * closed with an empty queue; whoever is in the queue of one that is closed is reset, after the client could believe that it
 * was connected.
 *
 * @see <a href="https://www.kernel.org/doc/html/latest/networking/filter.html">Linux socket filtering</a>
 */
final class SynFilter {

    private static final int SOL_SOCKET = 1;
    private static final int SO_ATTACH_FILTER = 26;

    /** struct sock_fprog with 64-bit pointers: the number of instructions, a gap, their address. */
    private static final int PROGRAM_LENGTH = 16;

    private static final RawUnixChannelOption ATTACH =
            new RawUnixChannelOption("SO_ATTACH_FILTER", SOL_SOCKET, SO_ATTACH_FILTER, PROGRAM_LENGTH);

    private static final int FLAGS = 13;
    private static final int SYN = 0x02;
    private static final int ACK = 0x10;

    private SynFilter() {}

    /**
     * Sets it where that can be done. On the loop of the socket.
     *
     * @return whether it is set
     */
    static boolean attach(Channel socket) {
        ByteBuf code = Unpooled.directBuffer(5 * 8);
        try {
            // the packet begins with the TCP header
            add(code, 0x30, 0, 0, FLAGS); // load the byte there
            add(code, 0x54, 0, 0, SYN | ACK); // and
            add(code, 0x15, 0, 1, SYN); // if not equal, skip one
            add(code, 0x06, 0, 0, 0); // drop it
            add(code, 0x06, 0, 0, -1); // take all of it
            if (!code.hasMemoryAddress()) {
                return false;
            }
            ByteBuffer program = ByteBuffer.allocateDirect(PROGRAM_LENGTH).order(ByteOrder.nativeOrder());
            program.putShort(0, (short) 5).putLong(8, code.memoryAddress());
            // false where the transport knows no such options
            return socket.config().setOption(ATTACH, program);
        } catch (RuntimeException e) {
            return false;
        } finally {
            // the kernel has made a copy
            code.release();
        }
    }

    /** struct sock_filter. */
    private static void add(ByteBuf code, int operation, int ifTrue, int ifFalse, int operand) {
        boolean big = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;
        if (big) {
            code.writeShort(operation);
        } else {
            code.writeShortLE(operation);
        }
        code.writeByte(ifTrue).writeByte(ifFalse);
        if (big) {
            code.writeInt(operand);
        } else {
            code.writeIntLE(operand);
        }
    }
}
