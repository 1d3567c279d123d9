package io.weir.proxy.http;

import io.weir.config.ClientSettings;
import java.util.function.Supplier;

/** Who takes the bytes of messages apart. */
public enum HttpDecoders {
    /** Weir's own. */
    STRICT {
        @Override
        RequestDecoder requests(Loop loop, Supplier<ClientSettings> limits) {
            return new StrictRequestDecoder(loop.headParser(), limits);
        }

        @Override
        ResponseDecoder responses(Loop loop) {
            return new StrictResponseDecoder(loop.headParser());
        }
    },
    /** Netty's codec, which is slower. */
    NETTY {
        @Override
        RequestDecoder requests(Loop loop, Supplier<ClientSettings> limits) {
            return new NettyRequestDecoder(limits.get().largeHeaderBuffers());
        }

        @Override
        ResponseDecoder responses(Loop loop) {
            return new NettyResponseDecoder();
        }
    };

    /** @param limits asked for each head, since they may change */
    abstract RequestDecoder requests(Loop loop, Supplier<ClientSettings> limits);

    abstract ResponseDecoder responses(Loop loop);
}
