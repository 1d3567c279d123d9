package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;

/**
 * Follows the frames of one direction of a WebSocket connection, to know where one ends and another may be put in: control
 * frames may stand between the frames of a message. Looks at the few bytes of each frame's header, and at nothing of what it
 * carries. Confined to the loop's thread.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc6455.html#section-5.2">RFC 6455 section 5.2</a>
 */
final class WebSocketFrames {

    private static final int OPCODE_CLOSE = 8;

    /** Of the opcode and the length; what else there is, the second of them tells. */
    private static final int SHORTEST_HEADER = 2;

    private int headerSize = SHORTEST_HEADER;
    private int headerRead;
    private int lengthEnd;
    private int opcode;
    private long payload;
    private boolean closed;

    /**
     * Goes on to the end of a frame, or of the bytes.
     *
     * @param from index of the first byte that was not followed yet
     * @return the index behind the last byte that was
     */
    int follow(ByteBuf bytes, int from) {
        int p = from;
        int end = bytes.writerIndex();
        while (headerRead < headerSize && p < end) {
            header(bytes.getByte(p++));
        }
        if (headerRead == headerSize) {
            // a length beyond 63 bits is none: whatever this is, it has no end
            int taken = payload < 0 ? end - p : (int) Math.min(payload, end - p);
            p += taken;
            payload -= taken;
            if (payload == 0) {
                closed |= opcode == OPCODE_CLOSE;
                headerRead = 0;
                headerSize = SHORTEST_HEADER;
            }
        }
        return p;
    }

    /** Goes on to the end of the bytes. */
    void followAll(ByteBuf bytes) {
        int p = bytes.readerIndex();
        while (p < bytes.writerIndex()) {
            p = follow(bytes, p);
        }
    }

    private void header(byte b) {
        if (headerRead == 0) {
            opcode = b & 0x0f;
        } else if (headerRead == 1) {
            int length = b & 0x7f;
            payload = length < 126 ? length : 0;
            lengthEnd = SHORTEST_HEADER + (length < 126 ? 0 : length == 126 ? 2 : 8);
            headerSize = lengthEnd + (b < 0 ? 4 : 0);
        } else if (headerRead < lengthEnd) {
            payload = payload << 8 | b & 0xff;
        }
        headerRead++;
    }

    /** Whether all that came were whole frames. */
    boolean isBetween() {
        return headerRead == 0;
    }

    /** Whether a frame has come that says that no other will. */
    boolean isClosed() {
        return closed;
    }
}
