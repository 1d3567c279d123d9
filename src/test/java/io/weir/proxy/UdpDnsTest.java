package io.weir.proxy;

import static io.weir.proxy.StreamSpec.datagramsTo;
import static io.weir.proxy.Streams.servers;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.resolver.ResolvedAddressTypes;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.NoopDnsCache;
import io.netty.resolver.dns.NoopDnsCnameCache;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A real client of DNS behind Weir. */
@ExtendWith(Leaks.class)
class UdpDnsTest {

    private static final int HEADER = 12;

    /** A server of DNS (RFC 1035) to which every name has the one address 192.0.2.{@code last}. */
    private static UdpBackend nameServer(int last) {
        return UdpBackend.with(query -> {
            int end = HEADER;
            while (query[end] != 0) {
                end += query[end] + 1;
            }
            // the root, type and class
            end += 5;
            ByteBuffer answer = ByteBuffer.allocate(end + 16);
            answer.put(query, 0, end);
            // an answer, recursion desired and available; one question, one answer, nothing else
            answer.putShort(2, (short) 0x8180)
                    .putShort(4, (short) 1)
                    .putShort(6, (short) 1)
                    .putInt(8, 0);
            // the name of the question, A, IN, no time to live, four bytes
            answer.putShort((short) (0xc000 | HEADER))
                    .putShort((short) 1)
                    .putShort((short) 1)
                    .putInt(0)
                    .putShort((short) 4)
                    .put(new byte[] {(byte) 192, 0, 2, (byte) last});
            return List.of(answer.array());
        });
    }

    private static DnsNameResolver resolver(EventLoop loop, int port) {
        return new DnsNameResolverBuilder(loop)
                .datagramChannelType(NioDatagramChannel.class)
                .nameServerProvider(
                        new SingletonDnsServerAddressStreamProvider(new InetSocketAddress("127.0.0.1", port)))
                .resolvedAddressTypes(ResolvedAddressTypes.IPV4_ONLY)
                .resolveCache(NoopDnsCache.INSTANCE)
                .cnameCache(NoopDnsCnameCache.INSTANCE)
                .queryTimeoutMillis(60_000)
                .build();
    }

    @Test
    void eachQuestionGetsTheServerWhoseTurnItIs() throws Exception {
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try (UdpBackend first = nameServer(1);
                UdpBackend second = nameServer(2);
                Streams streams = Streams.start(
                        datagramsTo("dns").responses(1), servers("dns", first.address(), second.address()));
                DnsNameResolver resolver = resolver(group.next(), streams.port())) {
            for (int i = 0; i < 10; i++) {
                InetAddress found =
                        resolver.resolve("host" + i + ".example.org.").get();
                assertThat(found.getHostAddress()).isEqualTo("192.0.2." + (i % 2 + 1));
                // an answer is on its way before its session has ended
                streams.sessions(i + 1);
            }
            assertThat(streams.sessions(10)).allMatch(line -> line.startsWith("200 "));
        } finally {
            group.shutdownGracefully();
        }
    }
}
