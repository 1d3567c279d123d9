package io.weir.deploy;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** The instructions of the Dockerfile, in their order. */
final class Dockerfile {

    /** An instruction, the stage that it belongs to, and its flags ({@code --from=build}) apart from its arguments. */
    record Instruction(int stage, String name, Map<String, String> flags, String arguments) {

        /** Words that are parted by spaces. */
        List<String> words() {
            return List.of(arguments.split("\\s+"));
        }

        /** The command in its exec form; fails if it has another. */
        List<String> exec() {
            String json = arguments.startsWith("CMD ") ? arguments.substring(4) : arguments;
            try {
                return List.of(new JsonMapper().readValue(json, String[].class));
            } catch (JacksonException e) {
                throw new AssertionError(name + " is not in exec form, so that signals would not arrive: " + json, e);
            }
        }
    }

    private static final Pattern LINE = Pattern.compile("(?s)([A-Z]+)\\s+((?:--\\S+\\s+)*)(.*)");
    private static final Pattern FLAG = Pattern.compile("--([a-z-]+)=(\\S+)");

    private final List<Instruction> instructions = new ArrayList<>();

    private Dockerfile() {}

    static Dockerfile read() {
        Dockerfile dockerfile = new Dockerfile();
        int stage = -1;
        String text =
                Delivery.read("Dockerfile").replaceAll("(?m)^\\s*#.*\\R", "").replaceAll("\\\\\\R\\s*", " ");
        for (String line : text.lines().filter(line -> !line.isBlank()).toList()) {
            Matcher parts = LINE.matcher(line.strip());
            if (!parts.matches()) {
                throw new AssertionError("no instruction: " + line);
            }
            if (parts.group(1).equals("FROM")) {
                stage++;
            }
            Map<String, String> flags = new TreeMap<>();
            FLAG.matcher(parts.group(2))
                    .results()
                    .forEach(flag -> flags.put(flag.group(1).toLowerCase(Locale.ROOT), flag.group(2)));
            dockerfile.instructions.add(new Instruction(stage, parts.group(1), flags, parts.group(3)));
        }
        return dockerfile;
    }

    List<Instruction> all() {
        return instructions;
    }

    List<Instruction> all(String name) {
        return instructions.stream().filter(i -> i.name().equals(name)).toList();
    }

    /** The only one of its name in the image's own stage, which is the last. */
    Instruction only(String name) {
        int last = all("FROM").size() - 1;
        List<Instruction> found =
                all(name).stream().filter(i -> i.stage() == last).toList();
        if (found.size() != 1) {
            throw new AssertionError(found.size() + " times " + name);
        }
        return found.get(0);
    }
}
