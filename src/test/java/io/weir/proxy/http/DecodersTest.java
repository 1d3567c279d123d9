package io.weir.proxy.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.weir.config.ClientSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Weir's own decoders against Netty's over messages that were damaged at random: what the own ones accept, Netty's accept as
 * the same messages; what only Netty's accept is of a kind that is known. How the bytes are split over reads never matters.
 *
 * <p>The seed is fixed, so that a failure comes again; {@code -Dweir.fuzz.rounds} and {@code -Dweir.fuzz.seed} go on from
 * there.
 */
class DecodersTest {

    private static final int ROUNDS = Integer.getInteger("weir.fuzz.rounds", 20_000);
    private static final long SEED = Long.getLong("weir.fuzz.seed", 9112);

    private static final List<String> REQUESTS = List.of(
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /a?b=c HTTP/1.0\r\n\r\nGET /next HTTP/1.1\r\nHost: y\r\n\r\n",
            "\r\nHEAD /%41 HTTP/1.1\r\nhost:x\r\nAccept:  */* \t\r\nX-Empty:\r\n\r\n",
            "POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhelloGET /2 HTTP/1.1\r\nHost: x\r\n\r\n",
            "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;a=\"b\"\r\n!\r\n0\r\n"
                    + "X-Trailer: t\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n",
            "PUT /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n00A\r\n0123456789\r\n0\r\n\r\n",
            "POST /z HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close, x\r\n\r\n",
            "M-SEARCH * HTTP/1.1\r\nHost: x\r\nCookie: a=b; c=d\r\nCookie: e=\u00e9\r\n\r\n");

    private static final List<String> RESPONSES = List.of(
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nServer: x\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 201 \r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.0 404 Not Found\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\n\r\nuntil the end",
            "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\nETag: \"x\"\r\n\r\n",
            "HTTP/1.1 204\r\n\r\n",
            "HTTP/1.1 503 \u00dcber\r\nContent-Length: 2\r\nRetry-After:1\r\n\r\nnosurplus");

    /** What damage is made of: everything that means something to somebody. */
    private static final String[] PIECES = {
        "\r",
        "\n",
        "\r\n",
        " ",
        "\t",
        ":",
        ";",
        ",",
        "0",
        "1",
        "5",
        "a",
        "A",
        "\0",
        "\u000b",
        "\u007f",
        "\u0080",
        "\u00ff",
        "%",
        "#",
        "\"",
        "(",
        "_",
        "-",
        "+",
        "chunked",
        "Transfer-Encoding: chunked\r\n",
        "Content-Length: 5\r\n",
        "Content-Length: 6\r\n",
        "Host: z\r\n",
        "HTTP/1.1",
        "HTTP/1.0",
        "HTTP/2.0",
        "\r\n\r\n",
        "identity",
        "gzip, ",
        "X: y\r\n",
        " folded\r\n",
        "ffffffffffffffff"
    };

    /** Where the own decoders refuse what Netty's accept. */
    private static final List<Pattern> STRICTER = List.of(
            // RFC 9112 section 5.2: a folded line is refused, not unfolded
            Pattern.compile("\r\n[ \t]"),
            // section 2.2: nothing but empty lines is overlooked before a message
            Pattern.compile("(^|\n|hello|!|9)[\\x00-\\x20\\x7f]"),
            // nginx's letters of a method
            Pattern.compile("[a-z0-9!#$%&'*+.^`|~][A-Z-_]* [/*]"),
            // section 4: one blank, three digits, one blank, a phrase of text
            Pattern.compile("^HTTP/1.\\d(?! [1-9]\\d\\d(\r| [\\x20-\\x7e\\x80-\\xff]*\r\n))"),
            // section 6.1: a coding that is not known; the rest of the proxy refuses it behind Netty's decoder
            Pattern.compile("(?i)transfer-encoding:(?!\\s*chunked\\s*\r\n)"));

    /** Where the own decoders accept what Netty's refuse. */
    private static final List<Pattern> LOOSER = List.of(
            // RFC 9110 section 2.5: a higher minor version means the same; the rest of the proxy answers 505 to
            // requests
            Pattern.compile("HTTP/1\\.[2-9]"),
            // a chunk that is larger than an int can tell
            Pattern.compile("\r\n[0-9a-fA-F]{8,}"),
            // section 7.1.1 and RFC 9110 section 5.6.4: bytes beyond ASCII in the quoted value of an extension
            Pattern.compile("\r\n[0-9a-fA-F]+[ \t]*;[^\r\n]*[\\x80-\\xff]"));

    @Test
    void requestsAreTheSameForBoth() {
        Random random = new Random(SEED);
        int accepted = 0;
        for (int i = 0; i < ROUNDS; i++) {
            String input = damaged(REQUESTS, random);
            List<String> own = requests(HttpDecoders.STRICT, whole(input));
            assertThat(requests(HttpDecoders.STRICT, split(input, random)))
                    .as(input)
                    .isEqualTo(own);
            accepted += compare(input, own, requests(HttpDecoders.NETTY, whole(input)));
        }
        // enough is left whole for the comparison to mean something, and enough is not
        assertThat(accepted).isBetween(ROUNDS / 10, ROUNDS * 9 / 10);
    }

    @Test
    void responsesAreTheSameForBoth() {
        Random random = new Random(SEED);
        int accepted = 0;
        for (int i = 0; i < ROUNDS; i++) {
            String input = damaged(RESPONSES, random);
            boolean head = random.nextInt(8) == 0;
            List<String> own = responses(HttpDecoders.STRICT, head, whole(input));
            assertThat(responses(HttpDecoders.STRICT, head, split(input, random)))
                    .as(input)
                    .isEqualTo(own);
            accepted += compare(input, own, responses(HttpDecoders.NETTY, head, whole(input)));
        }
        assertThat(accepted).isBetween(ROUNDS / 10, ROUNDS * 9 / 10);
    }

    /** Returns 1 if all of it was accepted. */
    private static int compare(String input, List<String> own, List<String> nettys) {
        if (!isRefused(own)) {
            if (LOOSER.stream().noneMatch(reason -> reason.matcher(input).find())) {
                assertThat(own).as(input).isEqualTo(nettys);
            }
            return 1;
        }
        List<String> accepted = accepted(own);
        if (!accepted.equals(accepted(nettys))) {
            assertThat(STRICTER)
                    .as("%s%n--- own %s%n--- Netty's %s", input, own, nettys)
                    .anyMatch(reason -> reason.matcher(input).find());
        }
        return 0;
    }

    private static boolean isRefused(List<String> lines) {
        return lines.stream().anyMatch(line -> line.startsWith("refused") || line.equals("broken"));
    }

    /** What both have to agree on where one of them gives up: whole messages, and heads. */
    private static List<String> accepted(List<String> lines) {
        return lines.stream()
                .filter(line -> !line.startsWith("refused") && !line.equals("broken") && !line.startsWith("surplus"))
                .filter(line -> !line.startsWith("body ") || lines.indexOf(line) < lines.lastIndexOf("end"))
                .toList();
    }

    private static String damaged(List<String> seeds, Random random) {
        StringBuilder text = new StringBuilder(seeds.get(random.nextInt(seeds.size())));
        for (int n = random.nextInt(4); n > 0; n--) {
            int at = random.nextInt(text.length() + 1);
            int to = Math.min(text.length(), at + 1 + random.nextInt(3));
            switch (random.nextInt(4)) {
                case 0 -> text.insert(at, PIECES[random.nextInt(PIECES.length)]);
                case 1 -> text.replace(at, to, PIECES[random.nextInt(PIECES.length)]);
                case 2 -> text.delete(at, to);
                default -> text.insert(at, text.substring(at, to));
            }
        }
        return text.toString();
    }

    private static List<byte[]> whole(String input) {
        return List.of(input.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static List<byte[]> split(String input, Random random) {
        List<byte[]> parts = new ArrayList<>();
        for (int from = 0; from < input.length(); ) {
            int to = Math.min(input.length(), from + 1 + random.nextInt(random.nextBoolean() ? 2 : 40));
            parts.add(input.substring(from, to).getBytes(StandardCharsets.ISO_8859_1));
            from = to;
        }
        return parts;
    }

    private static Loop loop(EmbeddedChannel channel) {
        return new Loop(new io.weir.proxy.loop.LoopContext(channel.eventLoop(), () -> 0));
    }

    /** What the decoder makes of the bytes, a line for each part; bodies joined. */
    private static List<String> requests(HttpDecoders decoders, List<byte[]> reads) {
        EmbeddedChannel channel = new EmbeddedChannel();
        RequestDecoder decoder = decoders.requests(loop(channel), () -> ClientSettings.DEFAULT);
        channel.pipeline().addLast(decoder);
        Transcript transcript = new Transcript();
        for (byte[] read : reads) {
            channel.writeInbound(Unpooled.wrappedBuffer(read));
            boolean ended;
            do {
                ended = transcript.addAll(channel);
                if (ended) {
                    resume(decoder, channel);
                }
            } while (ended);
        }
        channel.finishAndReleaseAll();
        return transcript.lines;
    }

    private static void resume(RequestDecoder decoder, EmbeddedChannel channel) {
        try {
            decoder.resume(channel.pipeline().context(decoder));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> responses(HttpDecoders decoders, boolean head, List<byte[]> reads) {
        EmbeddedChannel channel = new EmbeddedChannel();
        ResponseDecoder decoder = decoders.responses(loop(channel));
        channel.pipeline().addLast(decoder);
        decoder.expect(head);
        Transcript transcript = new Transcript();
        for (byte[] read : reads) {
            channel.writeInbound(Unpooled.wrappedBuffer(read));
            transcript.addAll(channel);
        }
        if (transcript.complete) {
            transcript.lines.add("surplus " + decoder.surplus());
        }
        channel.finish();
        transcript.addAll(channel);
        return transcript.lines;
    }

    private static final class Transcript {

        private final List<String> lines = new ArrayList<>();
        private boolean over;
        private boolean interim;
        private boolean complete;

        /** Returns whether a message has ended. */
        boolean addAll(EmbeddedChannel channel) {
            boolean ended = false;
            for (Object message = channel.readInbound(); message != null; message = channel.readInbound()) {
                if (!over) {
                    add(message);
                }
                ended |= message instanceof LastHttpContent content
                        && content.decoderResult().isSuccess();
                ReferenceCountUtil.release(message);
            }
            return ended && !over;
        }

        private void add(Object message) {
            if (message instanceof RequestHead head) {
                List<String> codings = head.headers().getAll("transfer-encoding");
                over = head.refusal() != 0;
                lines.add(
                        over
                                ? "refused " + head.refusal()
                                : head.method() + " " + head.target() + " " + head.version() + fields(head.headers()));
                // to be answered with 501
                over |= !codings.isEmpty() && !codings.get(0).equalsIgnoreCase("chunked");
            } else if (message instanceof ResponseHead head) {
                over = !head.isValid();
                interim = head.status() < 200;
                lines.add(
                        over
                                ? "refused"
                                : head.version() + " " + head.status() + " "
                                        + head.reason().strip() + fields(head.headers()));
            } else if (message instanceof HttpContent content) {
                if (content.decoderResult().isFailure()) {
                    over = true;
                    lines.add("broken");
                    return;
                }
                if (content.content().isReadable()) {
                    String last = lines.get(lines.size() - 1);
                    String text = content.content().toString(StandardCharsets.ISO_8859_1);
                    if (last.startsWith("body ")) {
                        lines.set(lines.size() - 1, last + text);
                    } else {
                        lines.add("body " + text);
                    }
                }
                if (content instanceof LastHttpContent) {
                    lines.add("end");
                    complete = !interim;
                }
            }
        }

        private static String fields(HttpFields fields) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < fields.size(); i++) {
                // Netty removes it from a response without a body
                if (HttpHeaderNames.TRANSFER_ENCODING.contentEqualsIgnoreCase(fields.name(i))) {
                    continue;
                }
                text.append('|').append(fields.name(i)).append('=').append(fields.value(i));
            }
            return text.toString();
        }
    }
}
