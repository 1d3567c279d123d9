package io.weir.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bounds and defaults of proxying.md section 8. */
class ResponseBufferingTest {

    private static ResponseBuffering of(String bufferSize, int count, String size, String busy, String temp) {
        return ResponseBuffering.of(
                true,
                ByteSize.parse(bufferSize),
                new ResponseBuffering.Buffers(count, ByteSize.parse(size)),
                busy == null ? null : ByteSize.parse(busy),
                ByteSize.parse(temp),
                ByteSize.parse("0"));
    }

    @ParameterizedTest
    @CsvSource({"4k,8,8k,16k", "8k,8,4k,16k", "1000,8,1000,2000", "512k,3,512k,1m"})
    void busySizeIsTwiceTheLargerBufferUnlessGiven(String bufferSize, int count, String size, String busy) {
        assertThat(of(bufferSize, count, size, null, "0").busyBuffersSize().text())
                .isEqualTo(busy);
    }

    @ParameterizedTest
    @CsvSource({"8k,8,8k,8k,8k", "8k,8,8k,56k,1g", "8k,2,8k,8k,0", "4k,3,8k,16k,8k"})
    void boundsAreIncluded(String bufferSize, int count, String size, String busy, String temp) {
        assertThat(of(bufferSize, count, size, busy, temp).busyBuffersSize().text())
                .isEqualTo(busy);
    }

    @ParameterizedTest
    @CsvSource({
        "8k,8,8k,8191,1g,busyBuffersSize",
        "16k,8,8k,8k,1g,busyBuffersSize",
        "8k,8,8k,57345,1g,busyBuffersSize",
        "8k,2,8k,,1g,busyBuffersSize",
        "8k,8,8k,16k,8191,maxTempFileSize",
        "16k,8,8k,16k,8k,maxTempFileSize",
        "0,8,8k,16k,1g,bufferSize",
        "8k,8,2g,4g,4g,size",
        "8k,1,8k,8k,1g,count"
    })
    void whatIsOutOfBoundsIsRefused(String bufferSize, int count, String size, String busy, String temp, String field) {
        assertThatThrownBy(() -> of(bufferSize, count, size, busy, temp))
                .isInstanceOfSatisfying(
                        InvalidConfigException.class,
                        e -> assertThat(e.violations())
                                .extracting(Violation::field)
                                .contains(field));
    }

    @Test
    void memoryIsThatOfAllBuffers() {
        assertThat(ResponseBuffering.DEFAULT.memory()).isEqualTo(72 * 1024);
    }
}
