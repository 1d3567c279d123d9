package io.weir.proxy.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class LineBufferTest {

    private static String text(Consumer<LineBuffer> writing) {
        LineBuffer buffer = new LineBuffer();
        writing.accept(buffer);
        return ISO_8859_1.decode(buffer.toByteBuffer()).toString();
    }

    @Test
    void bytesThatCouldEndAValueAreEscapedAsNginxDoes() {
        StringBuilder expected = new StringBuilder();
        StringBuilder all = new StringBuilder();
        for (char c = 0; c < 256; c++) {
            all.append(c);
            boolean plain = c >= 32 && c <= 126 && c != '"' && c != '\\';
            expected.append(plain ? String.valueOf(c) : String.format("\\x%02X", (int) c));
        }
        assertThat(text(b -> b.escaped(all.toString()))).isEqualTo(expected.toString());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 9, 10, 99, 100, 12_345, Long.MAX_VALUE, -1, Long.MIN_VALUE})
    void numbersAreDecimal(long value) {
        assertThat(text(b -> b.number(value))).isEqualTo(Long.toString(value));
    }

    @Test
    void timesHaveThreeDecimals() {
        assertThat(text(b -> b.seconds(0))).isEqualTo("0.000");
        assertThat(text(b -> b.seconds(61_007))).isEqualTo("61.007");
    }

    @Property
    void growsWithWhatIsAppended(@ForAll @Size(max = 300) byte[] part) {
        LineBuffer buffer = new LineBuffer();
        String value = new String(part, ISO_8859_1);
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            buffer.put(part);
            buffer.put(value);
            expected.append(value).append(value);
        }
        buffer.endLine();
        assertThat(ISO_8859_1.decode(buffer.toByteBuffer()).toString()).isEqualTo(expected + "\n");
        assertThat(buffer.lines()).isEqualTo(1);
    }

    /** Whatever a client sends, the line is JSON, and UTF-8 stays what it is. */
    @Property
    void everyValueIsAJsonString(@ForAll @Size(max = 40) byte[] bytes) {
        String json = "\"" + text(b -> b.json(new String(bytes, ISO_8859_1))) + "\"";
        String read = new JsonMapper().readTree(json.getBytes(ISO_8859_1)).stringValue();
        assertThat(read.codePoints().filter(c -> c >= 0xd800 && c < 0xe000)).isEmpty();
        try {
            assertThat(read)
                    .isEqualTo(UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException e) {
            // no byte was lost: each that is not of a sequence has become the character of its number
            assertThat(read.length()).isBetween(bytes.length / 4, bytes.length);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"é", "€", "𝄞", "\uffff", "\u0800", "\u07ff", "a\u007fb"})
    void utf8StaysUtf8(String value) {
        String bytes = new String(value.getBytes(UTF_8), ISO_8859_1);
        assertThat(text(b -> b.json(bytes))).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u00c0\u0080", "\u00ed\u00a0\u0080", "\u00f4\u0090\u0080\u0080", "\u00e2\u0082", "\u0080"})
    void whatIsNotUtf8IsTakenAsIso88591(String bytes) {
        StringBuilder expected = new StringBuilder();
        bytes.chars().forEach(b -> expected.append(String.format("\\u00%02X", b)));
        assertThat(text(b -> b.json(bytes))).isEqualTo(expected.toString());
    }
}
