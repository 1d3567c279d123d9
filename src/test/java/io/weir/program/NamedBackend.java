package io.weir.program;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** A server that answers {@code name target body}, so that an answer that belongs to another request shows. */
final class NamedBackend implements AutoCloseable {

    private final String name;
    private final DisposableServer server;
    private final AtomicInteger requests = new AtomicInteger();

    /** On every address of this host, all of 127.0.0.0/8 among them. */
    private NamedBackend(int port, String name) {
        this.name = name;
        server = HttpServer.create()
                .bindAddress(() -> new InetSocketAddress("0.0.0.0", port))
                .handle((request, response) -> request.receive()
                        .aggregate()
                        .map(body -> body.toString(StandardCharsets.US_ASCII))
                        .defaultIfEmpty("")
                        .flatMap(body -> {
                            requests.incrementAndGet();
                            ByteBuf text =
                                    Unpooled.copiedBuffer(answer(name, request.uri(), body), StandardCharsets.US_ASCII);
                            return response.header("Content-Length", Integer.toString(text.readableBytes()))
                                    .sendObject(Mono.just(text))
                                    .then();
                        }))
                .bindNow();
    }

    static NamedBackend start(String name) {
        return new NamedBackend(0, name);
    }

    /** In place of another that was closed. */
    static NamedBackend at(int port, String name) {
        return new NamedBackend(port, name);
    }

    static String answer(String name, String target, String body) {
        return name + " " + target + " " + body;
    }

    String name() {
        return name;
    }

    int port() {
        return server.port();
    }

    String address() {
        return "127.0.0.1:" + port();
    }

    int requests() {
        return requests.get();
    }

    @Override
    public void close() {
        server.disposeNow();
    }
}
