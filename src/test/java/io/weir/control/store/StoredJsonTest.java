package io.weir.control.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.AccessRule;
import io.weir.config.ByteSize;
import io.weir.config.Cidr;
import io.weir.config.HeaderRules;
import io.weir.config.HttpVersion;
import io.weir.config.NextUpstream;
import io.weir.config.ProxyHeaderVersion;
import io.weir.config.ProxySettings;
import io.weir.config.RealIpConfig;
import io.weir.config.RedirectRule;
import io.weir.config.RequestBuffering;
import io.weir.config.ResponseBuffering;
import io.weir.config.StreamClientSettings;
import io.weir.config.StreamSettings;
import io.weir.config.Template;
import io.weir.config.TimeSpan;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StoredJsonTest {

    @Test
    void settingsComeBackAsTheyWere() {
        ProxySettings settings = new ProxySettings(
                TimeSpan.parse("500ms"),
                TimeSpan.parse("1m"),
                TimeSpan.parse("90s"),
                EnumSet.of(NextUpstream.HTTP_502, NextUpstream.NON_IDEMPOTENT),
                3,
                TimeSpan.parse("2s"),
                new RequestBuffering(false, ByteSize.parse("1M")),
                ResponseBuffering.of(
                        false,
                        ByteSize.parse("16K"),
                        new ResponseBuffering.Buffers(4, ByteSize.parse("16384")),
                        null,
                        ByteSize.parse("0"),
                        ByteSize.parse("1m")),
                HttpVersion.HTTP_1_0,
                true,
                true,
                RedirectRule.OFF);
        assertThat(StoredJson.write(settings)).contains("\"httpVersion\":\"1.0\"", "\"redirect\":\"off\"");
        assertThat(StoredJson.read(StoredJson.write(settings), ProxySettings.DEFAULT))
                .isEqualTo(settings);
        Map<String, Template> set = new LinkedHashMap<>();
        set.put("X-B", Template.parse("$host$$"));
        set.put("X-A", Template.parse(""));
        HeaderRules rules = new HeaderRules(set, List.of("Server"));
        HeaderRules read = StoredJson.read(StoredJson.write(rules), HeaderRules.NONE);
        assertThat(read).isEqualTo(rules);
        assertThat(read.set().keySet()).as("in their order").containsExactly("X-B", "X-A");
    }

    @Test
    void trustComesBackAsItWas() {
        RealIpConfig trust =
                new RealIpConfig(List.of(Cidr.parse("10.1.2.3/8"), Cidr.parse("2001:DB8::/32")), "X-Client", true);
        assertThat(StoredJson.read(StoredJson.write(trust), RealIpConfig.class)).isEqualTo(trust);
        assertThat(StoredJson.write(trust))
                .isEqualTo(
                        "{\"trusted\":[\"10.1.2.3/8\",\"2001:DB8::/32\"],\"header\":\"X-Client\",\"recursive\":true}");
    }

    @Test
    void settingsOfStreamsComeBackAsTheyWere() {
        StreamSettings settings = new StreamSettings(
                TimeSpan.parse("500ms"),
                TimeSpan.parse("1m"),
                true,
                false,
                3,
                TimeSpan.parse("2s"),
                2,
                0,
                ByteSize.parse("1M"),
                ByteSize.parse("2k"),
                ByteSize.parse("4k"),
                ProxyHeaderVersion.V2,
                true);
        assertThat(StoredJson.read(StoredJson.write(settings), StreamSettings.DEFAULT))
                .isEqualTo(settings);
        assertThat(StoredJson.read(StoredJson.write(StreamSettings.DEFAULT), settings))
                .as("what was stored as nothing stays nothing")
                .isEqualTo(StreamSettings.DEFAULT);
        StreamClientSettings client = new StreamClientSettings(
                List.of(AccessRule.parse(true, "10.1.2.3/8"), AccessRule.parse(false, AccessRule.ALL)),
                TimeSpan.parse("1s"),
                TimeSpan.parse("2s"),
                ByteSize.parse("1k"),
                3,
                4);
        assertThat(StoredJson.read(StoredJson.write(client), StreamClientSettings.DEFAULT))
                .isEqualTo(client);
    }

    @Test
    void aFieldThatAnEarlierVersionDidNotWriteHasItsDefault() {
        ProxySettings read = StoredJson.read("{\"readTimeout\":\"5s\"}", ProxySettings.DEFAULT);
        assertThat(read.readTimeout().text()).isEqualTo("5s");
        assertThat(read.buffering()).isEqualTo(ResponseBuffering.DEFAULT);
        assertThat(read.nextUpstream()).isEqualTo(ProxySettings.DEFAULT.nextUpstream());
    }

    @Test
    void argumentsKeepTheirTypes() {
        Map<String, Object> arguments = Map.of("key", "$uri", "two", true, "n", 5, "big", 5_000_000_000L, "f", 0.5);
        assertThat(StoredJson.arguments(StoredJson.write(arguments))).isEqualTo(arguments);
    }
}
