package io.weir.proxy.http;

/** Who takes the bytes of messages apart. */
public enum HttpDecoders {
    /** Weir's own. */
    STRICT {
        @Override
        RequestDecoder requests(Loop loop) {
            return new StrictRequestDecoder(loop.headParser());
        }

        @Override
        ResponseDecoder responses(Loop loop) {
            return new StrictResponseDecoder(loop.headParser());
        }
    },
    /** Netty's codec, which is slower. */
    NETTY {
        @Override
        RequestDecoder requests(Loop loop) {
            return new NettyRequestDecoder();
        }

        @Override
        ResponseDecoder responses(Loop loop) {
            return new NettyResponseDecoder();
        }
    };

    abstract RequestDecoder requests(Loop loop);

    abstract ResponseDecoder responses(Loop loop);
}
