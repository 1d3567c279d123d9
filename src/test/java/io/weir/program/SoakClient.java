package io.weir.program;

import io.weir.proxy.Client;
import io.weir.proxy.HttpText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;

/** A client of a soak: one conversation after the other, until it is stopped. */
final class SoakClient implements Callable<Void> {

    private static final int PIECE = 20_000;

    private final int port;
    private final SoakRecord record;
    private final Random random;
    private Client kept;
    private String doing = "";

    /** @param seed of what it does */
    SoakClient(int port, SoakRecord record, int seed) {
        this.port = port;
        this.record = record;
        this.random = new Random(seed);
    }

    @Override
    public Void call() throws InterruptedException {
        while (!record.stopped()) {
            try {
                converse();
            } catch (IOException | RuntimeException e) {
                record.fail(doing.strip() + ": " + e);
            }
            Thread.sleep(random.nextInt(150));
        }
        hangUp();
        return null;
    }

    private void converse() throws IOException, InterruptedException {
        int dice = random.nextInt(100);
        if (dice < 40) {
            ask(SoakRequest.any("GET", record.nextId(), random), 0);
        } else if (dice < 60) {
            upload(SoakRequest.any(random.nextBoolean() ? "PUT" : "POST", record.nextId(), random));
        } else if (dice < 65) {
            ask(SoakRequest.any("HEAD", record.nextId(), random), 0);
        } else if (dice < 72) {
            pipeline();
        } else if (dice < 78) {
            askOldStyle(SoakRequest.any("GET", record.nextId(), random));
        } else if (dice < 84) {
            readSlowly();
        } else if (dice < 92) {
            giveUp();
        } else {
            tunnel();
        }
    }

    private Client connection() throws IOException {
        if (kept == null) {
            kept = Client.to(port);
        }
        return kept;
    }

    private void hangUp() {
        if (kept != null) {
            try {
                kept.close();
            } catch (IOException e) {
                record.fail("close: " + e);
            }
            kept = null;
        }
    }

    private void ask(SoakRequest request, long pauseMillis) throws IOException, InterruptedException {
        boolean last = random.nextInt(5) == 0;
        send(connection(), request, "1.1", last ? "Connection: close\r\n\r\n" : "\r\n");
        finish(request, pauseMillis, last);
    }

    private void send(Client client, SoakRequest request, String version, String rest) throws IOException {
        doing = request.line(version);
        client.send(doing + rest);
    }

    /** Reads the answer of the connection that is kept. */
    private void finish(SoakRequest request, long pauseMillis, boolean last) throws IOException, InterruptedException {
        try {
            SoakResponse response = SoakResponse.read(request, kept.in(), pauseMillis);
            note(request, response);
            if (last || response.isLast()) {
                hangUp();
            }
        } catch (IOException | RuntimeException e) {
            hangUp();
            throw e;
        }
    }

    private void note(SoakRequest request, SoakResponse response) {
        record.answered(request.id(), response.status());
        record.count(response.isBroken() ? "broken" : Integer.toString(response.status()));
    }

    private void upload(SoakRequest request) throws IOException, InterruptedException {
        byte[] body = SeededBytes.of(request.id(), request.size());
        boolean chunked = random.nextInt(3) == 0;
        boolean asks = random.nextInt(4) == 0;
        long pause = random.nextInt(5) == 0 ? 1000L * PIECE / Math.max(PIECE, body.length) : 0;
        String fields = (chunked ? "Transfer-Encoding: chunked\r\n" : "Content-Length: " + body.length + "\r\n")
                + (asks ? "Expect: 100-continue\r\n" : "");
        Client client = connection();
        send(client, request, "1.1", fields + "\r\n");
        if (asks && body.length > 0) {
            String leave = HttpText.readHead(client.in());
            if (leave == null || !leave.startsWith("HTTP/1.1 100 ")) {
                throw new IllegalStateException("no leave to send: " + leave);
            }
        }
        try {
            for (int at = 0; at < body.length; at += PIECE) {
                int end = Math.min(body.length, at + PIECE);
                client.send(chunked ? SoakBackend.chunk(body, at, end) : Arrays.copyOfRange(body, at, end));
                Thread.sleep(pause);
            }
            if (chunked) {
                client.send("0\r\n\r\n");
            }
        } catch (IOException e) {
            // what was answered before is there to be read
            record.count("uploads cut short");
        }
        finish(request, 0, false);
    }

    private void pipeline() throws IOException, InterruptedException {
        List<SoakRequest> requests = new ArrayList<>();
        StringBuilder all = new StringBuilder();
        for (int i = random.nextInt(4); i >= 0; i--) {
            requests.add(SoakRequest.steady("GET", record.nextId(), random.nextInt(20_000), random));
            all.append(requests.get(requests.size() - 1).line("1.1")).append("\r\n");
        }
        doing = all.toString();
        try (Client client = Client.to(port)) {
            client.send(all.toString());
            for (SoakRequest request : requests) {
                note(request, SoakResponse.read(request, client.in(), 0));
            }
        }
        record.count("pipelines");
    }

    private void askOldStyle(SoakRequest request) throws IOException, InterruptedException {
        try (Client client = Client.to(port)) {
            send(client, request, "1.0", random.nextBoolean() ? "Connection: keep-alive\r\n\r\n" : "\r\n");
            note(request, SoakResponse.read(request, client.in(), 0));
        }
        record.count("HTTP/1.0");
    }

    /** More than the sockets and the memory of a request hold, so that the rest waits in a file. */
    private void readSlowly() throws IOException, InterruptedException {
        hangUp();
        kept = Client.to(port);
        kept.socket().setReceiveBufferSize(16 * 1024);
        ask(SoakRequest.steady("GET", record.nextId(), 1_000_000 + random.nextInt(4_000_000), random), 5);
        hangUp();
        record.count("slow readers");
    }

    /** Goes away in a head, in a body that it sends, or in one that it gets, with a reset or without. */
    private void giveUp() throws IOException, InterruptedException {
        SoakRequest get = SoakRequest.steady("GET", record.nextId(), 100_000 + random.nextInt(2_000_000), random);
        SoakRequest post = SoakRequest.steady("POST", record.nextId(), 100_000, random);
        try (Client client = Client.to(port)) {
            switch (random.nextInt(4)) {
                case 0 -> {
                    doing = get.line("1.1");
                    client.send(doing.substring(0, random.nextInt(doing.length() - 1)));
                }
                case 1 -> {
                    send(client, post, "1.1", "Content-Length: 100000\r\n\r\n");
                    client.send(SeededBytes.of(post.id(), random.nextInt(100_000)));
                }
                case 2 -> send(client, get, "1.1", "\r\n");
                default -> {
                    send(client, get, "1.1", "\r\n");
                    client.in().readNBytes(random.nextInt(100_000));
                }
            }
            Thread.sleep(random.nextInt(30));
            if (random.nextBoolean()) {
                client.socket().setSoLinger(true, 0);
            }
        }
        record.count("given up");
    }

    private void tunnel() throws IOException, InterruptedException {
        SoakRequest request = SoakRequest.steady("GET", record.nextId(), 0, random);
        try (Client client = Client.to(port)) {
            send(client, request, "1.1", "Connection: Upgrade\r\nUpgrade: echo\r\n\r\n");
            String head = HttpText.readHead(client.in());
            if (head == null || !head.startsWith("HTTP/1.1 101 ")) {
                throw new IllegalStateException("no tunnel: " + head);
            }
            for (int i = random.nextInt(6); i >= 0; i--) {
                byte[] message = SeededBytes.of(request.id() + i, random.nextInt(60_000));
                client.send(message);
                byte[] back = client.in().readNBytes(message.length);
                if (!Arrays.equals(message, back)) {
                    throw new IllegalStateException("another echo, of " + back.length + " bytes: "
                            + new String(back, 0, Math.min(20, back.length), StandardCharsets.ISO_8859_1));
                }
                Thread.sleep(random.nextInt(50));
            }
        }
        record.answered(request.id(), 101);
        record.count("tunnels");
    }
}
