package io.weir.control.store;

import io.weir.config.ByteSize;
import io.weir.config.Cidr;
import io.weir.config.HttpVersion;
import io.weir.config.NextUpstream;
import io.weir.config.RedirectRule;
import io.weir.config.Template;
import io.weir.config.TimeSpan;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * The JSON in text columns: parts of the configuration with times, sizes and templates as the operator wrote them.
 *
 * <p>A field that a row does not have yet, because it was written by an earlier version, has its default.
 */
final class StoredJson {

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .addModule(text(TimeSpan.class, TimeSpan::text, TimeSpan::parse))
            .addModule(text(ByteSize.class, ByteSize::text, ByteSize::parse))
            .addModule(text(Template.class, Template::text, Template::parse))
            .addModule(text(Cidr.class, Cidr::text, Cidr::parse))
            .addModule(text(NextUpstream.class, NextUpstream::text, NextUpstream::parse))
            .addModule(text(HttpVersion.class, HttpVersion::text, HttpVersion::parse))
            .addModule(text(RedirectRule.class, RedirectRule::text, RedirectRule::parse))
            .build();

    private StoredJson() {}

    static String write(Object value) {
        return MAPPER.writeValueAsString(value);
    }

    static List<String> strings(String json) {
        return MAPPER.readValue(json, new TypeReference<>() {});
    }

    static Map<String, String> stringMap(String json) {
        return MAPPER.readValue(json, new TypeReference<>() {});
    }

    static Map<String, Object> arguments(String json) {
        return MAPPER.readValue(json, new TypeReference<>() {});
    }

    static <T> T read(String json, Class<T> type) {
        return MAPPER.readValue(json, type);
    }

    /** Reads what {@link #write} wrote of an object like {@code defaults}. */
    static <T> T read(String json, T defaults) {
        ObjectNode all = MAPPER.valueToTree(defaults);
        JsonNode stored = MAPPER.readTree(json);
        stored.forEachEntry(all::set);
        @SuppressWarnings("unchecked")
        Class<T> type = (Class<T>) defaults.getClass();
        return MAPPER.treeToValue(all, type);
    }

    private static <T> SimpleModule text(Class<T> type, Function<T, String> print, Function<String, T> parse) {
        return new SimpleModule(type.getName())
                .addSerializer(new StdSerializer<T>(type) {
                    @Override
                    public void serialize(T value, JsonGenerator generator, SerializationContext context) {
                        generator.writeString(print.apply(value));
                    }
                })
                .addDeserializer(type, new StdDeserializer<T>(type) {
                    @Override
                    public T deserialize(JsonParser parser, DeserializationContext context) {
                        return parse.apply(parser.getString());
                    }
                });
    }
}
