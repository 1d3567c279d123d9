package io.weir.proxy.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.weir.proxy.address.ProxyHeader;
import io.weir.proxy.loop.LoopContext;
import org.junit.jupiter.api.Test;

class SideTest {

    private static final int BUFFER = 16 * 1024;

    /** Drops what comes. */
    private static final class Nobody implements Side.Owner {
        @Override
        public void received(Side from, ByteBuf bytes) {
            bytes.release();
        }

        @Override
        public void proxied(ProxyHeader header) {}

        @Override
        public void turnEnded(Side from) {}

        @Override
        public void inputEnded(Side side) {}

        @Override
        public void sendFailed(Side side) {}

        @Override
        public void writabilityChanged(Side side) {}
    }

    /** Else a rate of a byte a second has the rest of a closed socket kept in a buffer for each byte. */
    @Test
    void whatComesUnaskedIsReadInLargePieces() {
        EmbeddedChannel channel = new EmbeddedChannel();
        StreamLoop loop = new StreamLoop(new LoopContext(channel.eventLoop(), () -> 0));
        Side side = new Side(loop, channel, new Nobody(), BUFFER);
        side.pace(1, 0);
        assertThat(nextRead(channel)).as("asked for").isEqualTo(1);
        channel.writeInbound(Unpooled.wrappedBuffer(new byte[1]));
        assertThat(side.isPausing()).isTrue();
        assertThat(nextRead(channel)).as("unasked").isGreaterThanOrEqualTo(1024);
        side.close();
    }

    @SuppressWarnings("deprecation") // the only way to ask
    private static int nextRead(EmbeddedChannel channel) {
        return channel.config().getRecvByteBufAllocator().newHandle().guess();
    }
}
