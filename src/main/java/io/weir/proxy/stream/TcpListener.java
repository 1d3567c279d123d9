package io.weir.proxy.stream;

import io.netty.channel.Channel;
import io.weir.proxy.loop.ConnectionListener;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A listener of TCP: each connection is a session. Safe on every thread. */
public final class TcpListener extends StreamListener implements ConnectionListener {

    /** Connections that were made before there were rules. */
    private final Set<Channel> waiting = ConcurrentHashMap.newKeySet();

    TcpListener(StreamProxy proxy) {
        super(proxy);
    }

    @Override
    public void accept(Channel channel) {
        StreamRules now = rules();
        if (now != null) {
            TcpSession.accept(this, now, channel);
            return;
        }
        waiting.add(channel);
        channel.closeFuture().addListener(closed -> waiting.remove(channel));
        if (rules() != null) {
            // they came in between
            resume(channel);
        }
    }

    @Override
    public void follow(StreamRules rules) {
        super.follow(rules);
        waiting.forEach(this::resume);
    }

    private void resume(Channel channel) {
        StreamRules now = rules();
        if (now != null && waiting.remove(channel)) {
            channel.eventLoop().execute(() -> {
                if (channel.isActive()) {
                    TcpSession.resume(this, now, channel);
                }
            });
        }
    }

    @Override
    public void close() {
        waiting.forEach(Channel::close);
        super.close();
    }

    @Override
    public int clients() {
        return super.clients() + waiting.size();
    }
}
