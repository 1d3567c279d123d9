package io.weir.proxy.address;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the PROXY protocol header off the beginning of a connection: hands on a {@link ProxyHeader}, leaves the pipeline,
 * and what stands behind the header goes on as it came. A connection that does not begin with a header is closed.
 *
 * <p>How long it may take is for its neighbours to say. Confined to the channel's loop.
 *
 * <p>Differs from nginx: the header may come in pieces, as TCP allows.
 */
public final class ProxyHeaderDecoder extends ByteToMessageDecoder {

    private static final Logger log = LoggerFactory.getLogger(ProxyHeaderDecoder.class);

    /** As much of what is wrong as is logged. */
    private static final int SHOWN = 107;

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        int from = in.readerIndex();
        try {
            ProxyHeader header = ProxyHeaderParser.read(in);
            if (header != null) {
                out.add(header);
                ctx.pipeline().remove(this);
            }
        } catch (BrokenHeaderException e) {
            report(ctx, in.readerIndex(from), e.reason());
            in.skipBytes(in.readableBytes());
            ctx.close();
        }
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (in.isReadable()) {
            report(ctx, in, "incomplete");
        }
    }

    private static void report(ChannelHandlerContext ctx, ByteBuf in, String reason) {
        log.info(
                "broken header: \"{}\" ({}) while reading PROXY protocol, client: {}, server: {}",
                firstLine(in),
                reason,
                ctx.channel().remoteAddress(),
                ctx.channel().localAddress());
    }

    /** What a log can bear of the bytes. */
    private static String firstLine(ByteBuf in) {
        String text = in.toString(in.readerIndex(), Math.min(in.readableBytes(), SHOWN), StandardCharsets.ISO_8859_1);
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < text.length() && text.charAt(i) != '\r' && text.charAt(i) != '\n'; i++) {
            char c = text.charAt(i);
            line.append(c < ' ' || c > '~' || c == '"' ? '.' : c);
        }
        return line.toString();
    }
}
