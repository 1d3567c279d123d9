package io.weir.proxy.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.proxy.stream.ClientHello.State;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientHelloTest {

    private static final String WHOLE = "DONE Shop.example.org h2,http/1.1 TLSv1.3";
    private static final String NONE = "NOT_TLS   ";

    private final byte[] hello = hello("Shop.example.org", List.of("h2", "http/1.1"), "TLSv1.3", "TLSv1.2");

    /** What the JDK's own client begins with. */
    private static byte[] hello(String name, List<String> protocols, String... versions) {
        try {
            SSLEngine engine = SSLContext.getDefault().createSSLEngine();
            engine.setUseClientMode(true);
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setProtocols(versions);
            parameters.setApplicationProtocols(protocols.toArray(String[]::new));
            if (!name.isEmpty()) {
                parameters.setServerNames(List.of(new SNIHostName(name)));
            }
            engine.setSSLParameters(parameters);
            ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
            engine.wrap(ByteBuffer.allocate(0), out);
            return Arrays.copyOf(out.array(), out.position());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static String shown(ClientHello hello, State state) {
        return state + " " + hello.serverName() + " " + hello.protocols() + " " + hello.version();
    }

    private static String read(byte[] bytes) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        ClientHello hello = new ClientHello();
        State state = hello.read(in);
        assertThat(in.readerIndex()).isZero();
        return shown(hello, state);
    }

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text);
    }

    /** The same message in records of at most so many bytes. */
    private static byte[] inRecords(byte[] hello, int most) {
        ByteBuf out = Unpooled.buffer();
        for (int at = 5; at < hello.length; at += most) {
            int size = Math.min(most, hello.length - at);
            out.writeBytes(hello, 0, 3).writeShort(size).writeBytes(hello, at, size);
        }
        return Arrays.copyOf(out.array(), out.readableBytes());
    }

    @Test
    void namesAndVersionAreRead() {
        assertThat(read(hello)).isEqualTo(WHOLE);
    }

    @Test
    void whatIsMissingIsEmpty() {
        assertThat(read(hello("", List.of(), "TLSv1.3"))).isEqualTo("DONE   TLSv1.3");
        assertThat(read(hello("a.example", List.of(), "TLSv1.3"))).isEqualTo("DONE a.example  TLSv1.3");
        assertThat(read(hello("", List.of("h2"), "TLSv1.3"))).isEqualTo("DONE  h2 TLSv1.3");
    }

    /** The JDK sends supported_versions with 1.2 alone in it; nginx goes by the extension, not by what it lists. */
    @Test
    void whoSendsSupportedVersionsSpeaks13() {
        assertThat(read(hello("a.example", List.of(), "TLSv1.2"))).isEqualTo("DONE a.example  TLSv1.3");
    }

    @Test
    void allOfTheHelloIsNeeded() {
        for (int i = 0; i < hello.length; i++) {
            assertThat(read(Arrays.copyOf(hello, i))).as("of %d bytes", i).isEqualTo("NEED_MORE   ");
        }
    }

    @Test
    void whateverThePiecesAreTheResultIsTheSame() {
        byte[][] forms = {hello, inRecords(hello, 1), inRecords(hello, 3), inRecords(hello, 100)};
        for (byte[] form : forms) {
            for (int cut = 0; cut <= form.length; cut++) {
                ByteBuf in = Unpooled.buffer();
                ClientHello read = new ClientHello();
                in.writeBytes(form, 0, cut);
                State first = read.read(in);
                assertThat(first).isEqualTo(cut == form.length ? State.DONE : State.NEED_MORE);
                in.writeBytes(form, cut, form.length - cut);
                assertThat(shown(read, read.read(in))).as("cut at %d", cut).isEqualTo(WHOLE);
            }
        }
    }

    @Test
    void byteByByteFromAnywhereInABuffer() {
        ByteBuf in = Unpooled.buffer().writeZero(7).skipBytes(7);
        ClientHello read = new ClientHello();
        State state = State.NEED_MORE;
        for (byte b : inRecords(hello, 17)) {
            assertThat(state).isEqualTo(State.NEED_MORE);
            state = read.read(in.writeByte(b));
        }
        assertThat(shown(read, state)).isEqualTo(WHOLE);
        assertThat(in.readerIndex()).isEqualTo(7);
    }

    @Test
    void whatFollowsTheHelloDoesNotCount() {
        byte[] more = Arrays.copyOf(hello, hello.length + 100);
        assertThat(read(more)).isEqualTo(WHOLE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "474554202f", // GET /
                "1602010005", // major version 2
                "1603010001" + "02", // another handshake message
                "1603010004" + "01000000", // an empty hello
                "1603010004" + "01000000" + "160301", // the same with more behind
                "1503010002" + "0228" // an alert
            })
    void whatIsNoHelloHasNoNames(String bytes) {
        assertThat(read(hex(bytes))).isEqualTo(NONE);
    }

    @Test
    void anotherKindOfRecordInTheMiddleHasNoNames() {
        byte[] two = inRecords(hello, 100);
        two[105] = 23;
        assertThat(read(two)).isEqualTo(NONE);
    }

    /** As nginx, which looks at five bytes or none. */
    @Test
    void lessThanARecordHeaderIsNotJudged() {
        assertThat(read(hex("47455420"))).isEqualTo("NEED_MORE   ");
    }

    @Test
    void helloOfSsl2TellsItsVersionOnly() {
        assertThat(read(hex("802e010002"))).isEqualTo("DONE   SSLv2");
        assertThat(read(hex("802e010301"))).isEqualTo("DONE   TLSv1");
        assertThat(read(hex("802e020301"))).isEqualTo(NONE);
        assertThat(read(hex("002e010301"))).isEqualTo(NONE);
    }

    @Test
    void helloWithoutExtensions() {
        String body = "0302" + "00".repeat(32) + "00" + "0002002f" + "0100";
        assertThat(read(hex("160301002d" + "01000029" + body))).isEqualTo("DONE   TLSv1.1");
    }

    private static byte[] withExtensions(String extensions) {
        int size = extensions.length() / 2;
        String body = "0303" + "00".repeat(32) + "00" + "0002002f" + "0100" + two(size) + extensions;
        int length = body.length() / 2;
        return hex("160301" + two(length + 4) + "0100" + two(length) + body);
    }

    private static String two(int number) {
        return HexFormat.of().toHexDigits((short) number);
    }

    @Test
    void firstOfSeveralNamesCounts() {
        assertThat(read(withExtensions(
                        "00000006" + "0004" + "00" + "0001" + "61" + "00000006" + "0004" + "00" + "0001" + "62")))
                .isEqualTo("DONE a  TLSv1.2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "00000006" + "0004" + "01" + "0001" + "61", // no host name
                "00000006" + "0004" + "00" + "0002" + "61", // longer than its list
                "00000006" + "0005" + "00" + "0001" + "61", // a list that is longer than its extension
                "00000007" + "0004" + "00" + "0001" + "61", // an extension that is longer than the hello
                "000000", // half an extension
                "00000006" + "0004" + "00" + "0001" + "61" + "00100004" + "0002" + "0261", // a name before the fault
                "00100005" + "0004" + "026832" // protocols that are longer than their extension
            })
    void brokenExtensionsHaveNoNames(String extensions) {
        assertThat(read(withExtensions(extensions))).isEqualTo(NONE);
    }

    @Test
    void extensionsThatAreLongerThanTheHelloHaveNoNames() {
        byte[] bytes = withExtensions("002b0003020304");
        bytes[bytes.length - 8]++;
        assertThat(read(bytes)).isEqualTo(NONE);
    }

    @Test
    void damagedHelloNeverThrowsAndAnswersTheSameInPieces() {
        Random random = new Random(11);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = random.nextBoolean() ? hello.clone() : inRecords(hello, 1 + random.nextInt(200));
            for (int i = random.nextInt(4); i >= 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            String whole = read(bytes);
            ByteBuf in = Unpooled.buffer();
            ClientHello pieces = new ClientHello();
            State state = State.NEED_MORE;
            for (int at = 0; at < bytes.length && state == State.NEED_MORE; ) {
                int size = Math.min(bytes.length - at, 1 + random.nextInt(150));
                state = pieces.read(in.writeBytes(bytes, at, size));
                at += size;
            }
            assertThat(shown(pieces, state)).isEqualTo(whole);
        }
    }

    @Test
    void randomBytesNeverThrow() {
        Random random = new Random(12);
        byte[] start = hex("160301");
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = new byte[random.nextInt(300)];
            random.nextBytes(bytes);
            if (random.nextBoolean() && bytes.length > 6) {
                System.arraycopy(start, 0, bytes, 0, start.length);
                bytes[3] = 0;
                bytes[5] = 1;
                bytes[6] = 0;
            }
            assertThat(read(bytes)).containsPattern("^(NEED_MORE|DONE|NOT_TLS) ");
        }
    }
}
