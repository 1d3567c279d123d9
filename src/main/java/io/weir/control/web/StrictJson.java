package io.weir.control.web;

import io.weir.config.Checks;
import io.weir.config.InvalidConfigException;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON as the API reads it: one document of RFC 8259 and nothing after it, no key twice, and text that can be stored and
 * sent again.
 */
public final class StrictJson {

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    /** What the parser says of where a text began: it names its own settings instead. */
    private static final Pattern SOURCE = Pattern.compile(" ?\\(start marker at [^)]*\\)[^)]*\\)|\\[Source:[^]]*]");

    private StrictJson() {}

    /**
     * Reads a document.
     *
     * @throws InvalidConfigException if it is none, with the path of the fault
     */
    public static JsonNode parse(byte[] document) {
        try (JsonParser parser = MAPPER.createParser(document)) {
            JsonNode node = read(parser);
            Checks checks = new Checks();
            checkText(node, "", checks);
            checks.done();
            return node;
        }
    }

    /** A document that an object is written as. */
    public static JsonNode of(Object value) {
        return MAPPER.valueToTree(value);
    }

    private static JsonNode read(JsonParser parser) {
        try {
            JsonNode node = MAPPER.readTree(parser);
            if (node == null || node.isMissingNode()) {
                throw new InvalidConfigException("", "must be a JSON object; the body is empty");
            }
            if (parser.nextToken() != null) {
                throw new InvalidConfigException("", "has text after the JSON document");
            }
            return node;
        } catch (JacksonException e) {
            throw new InvalidConfigException(path(parser.streamReadContext()), message(e));
        }
    }

    private static String message(JacksonException e) {
        String where = e.getLocation() == null
                ? ""
                : " (line " + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr() + ")";
        return "is not valid JSON: " + SOURCE.matcher(e.getOriginalMessage()).replaceAll("") + where;
    }

    private static String path(TokenStreamContext context) {
        StringBuilder path = new StringBuilder();
        for (TokenStreamContext at = context; at != null && !at.inRoot(); at = at.getParent()) {
            if (at.inArray()) {
                path.insert(0, "[" + at.getCurrentIndex() + "]");
            } else if (at.currentName() != null) {
                path.insert(0, "." + at.currentName());
            }
        }
        return path.length() > 0 && path.charAt(0) == '.' ? path.substring(1) : path.toString();
    }

    /** PostgreSQL takes no NUL in text, and half a surrogate pair cannot be written as UTF-8. */
    private static void checkText(JsonNode node, String path, Checks checks) {
        if (node.isString()) {
            checks.check(isText(node.stringValue()), path, "must be valid Unicode without NUL");
        } else if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                checkText(node.get(i), path + "[" + i + "]", checks);
            }
        } else if (node.isObject()) {
            node.forEachEntry((name, value) -> {
                checks.check(isText(name), path, "has a field whose name is not valid Unicode without NUL");
                checkText(value, path.isEmpty() ? name : path + "." + name, checks);
            });
        }
    }

    private static boolean isText(String text) {
        return text.codePoints().noneMatch(c -> c == 0 || c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    }
}
