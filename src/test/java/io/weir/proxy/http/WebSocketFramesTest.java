package io.weir.proxy.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 6455 section 5.2. */
class WebSocketFramesTest {

    private static final int TEXT = 0x81;
    private static final int PING = 0x89;
    private static final int CLOSE = 0x88;

    private final ByteBuf bytes = Unpooled.buffer();
    private final List<Integer> ends = new ArrayList<>();

    /** @param lengthBytes 0, 2 or 8 */
    private void frame(int first, boolean masked, int lengthBytes, int length) {
        int mask = masked ? 0x80 : 0;
        bytes.writeByte(first);
        switch (lengthBytes) {
            case 0 -> bytes.writeByte(mask | length);
            case 2 -> bytes.writeByte(mask | 126).writeShort(length);
            default -> bytes.writeByte(mask | 127).writeLong(length);
        }
        // what a frame carries reads like the head of a close frame
        for (int i = 0; i < length + (masked ? 4 : 0); i++) {
            bytes.writeByte(i % 2 == 0 ? CLOSE : 0);
        }
        ends.add(bytes.writerIndex());
    }

    /** Follows the bytes in pieces of this size; returns the places that are between two frames. */
    private static List<Integer> between(WebSocketFrames frames, ByteBuf bytes, int size) {
        List<Integer> places = new ArrayList<>();
        for (int at = 0; at < bytes.writerIndex(); at += size) {
            ByteBuf piece = bytes.slice(at, Math.min(size, bytes.writerIndex() - at));
            for (int p = 0; p < piece.writerIndex(); ) {
                p = frames.follow(piece, p);
                if (frames.isBetween()) {
                    places.add(at + p);
                }
            }
        }
        return places;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 100, 65_536, 1_000_000})
    void endsAreFoundWhereverTheBytesAreCut(int size) {
        frame(TEXT, false, 0, 0);
        frame(TEXT, false, 0, 125);
        frame(PING, false, 0, 3);
        frame(TEXT, false, 2, 126);
        frame(TEXT, false, 2, 0x8000);
        frame(TEXT, false, 8, 0x12345);
        frame(TEXT, true, 0, 0);
        frame(TEXT, true, 2, 300);
        WebSocketFrames frames = new WebSocketFrames();
        assertThat(frames.isBetween()).isTrue();
        assertThat(between(frames, bytes, size)).isEqualTo(ends);
        assertThat(frames.isClosed()).isFalse();
        bytes.clear();
        frame(CLOSE, false, 0, 2);
        assertThat(between(frames, bytes.slice(0, 3), size)).isEmpty();
        assertThat(frames.isClosed()).isFalse();
        between(frames, bytes.slice(3, 1), size);
        assertThat(frames.isClosed()).isTrue();
    }

    @Test
    void lengthThatIsNoneNeverEnds() {
        bytes.writeByte(TEXT).writeByte(127).writeLong(-1).writeZero(1000);
        WebSocketFrames frames = new WebSocketFrames();
        assertThat(between(frames, bytes, 100)).isEmpty();
        assertThat(frames.isBetween()).isFalse();
    }
}
