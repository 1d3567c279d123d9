package io.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AcceptorTest {

    /** ADR 8: events of the turn may be those of a connection that had the client's descriptor before. */
    @Test
    void aClientIsHandedOverAtTheEndOfTheTurn() {
        EmbeddedChannel socket = new EmbeddedChannel();
        List<Object> handedOver = new ArrayList<>();
        Acceptor.of(socket);
        socket.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object client) {
                handedOver.add(client);
            }
        });
        socket.pipeline().fireChannelRead("client");
        assertThat(handedOver).as("in the turn").isEmpty();
        socket.runPendingTasks();
        assertThat(handedOver).as("behind it").containsExactly("client");
    }
}
