package io.weir.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The documents of this project, and what stands in them. Tests run in the project's folder. */
final class Docs {

    static final Path ROOT = Path.of("").toAbsolutePath();

    /** A fenced block, and the last line of text before it. */
    record Block(String language, String text, String lead, int line) {}

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    private Docs() {}

    static Path file(String name) {
        return ROOT.resolve(name);
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All Markdown for readers: at the top, in docs/ and in bench/. */
    static List<Path> all() {
        List<Path> files = new ArrayList<>();
        for (String folder : List.of("", "docs", "docs/adr", "bench")) {
            try (Stream<Path> found = Files.list(file(folder))) {
                found.filter(f -> f.toString().endsWith(".md")).sorted().forEach(files::add);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return files;
    }

    static List<Block> blocks(Path file) {
        List<Block> blocks = new ArrayList<>();
        String lead = "";
        List<String> lines = read(file).lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.startsWith("```")) {
                lead = line.isEmpty() ? lead : line;
                continue;
            }
            int begin = i + 1;
            for (i = begin; i < lines.size() && !lines.get(i).strip().equals("```"); ) {
                i++;
            }
            blocks.add(new Block(line.substring(3), String.join("\n", lines.subList(begin, i)), lead, begin));
            lead = "";
        }
        return blocks;
    }

    /** What is set as code in the first cells of all tables of a document, as far as it fits {@code name}. */
    static Set<String> firstCells(String file, Pattern name) {
        Set<String> found = new TreeSet<>();
        read(file(file)).lines().filter(line -> line.startsWith("| ")).forEach(line -> {
            Matcher code = CODE.matcher(line.split("\\|", -1)[1]);
            while (code.find()) {
                if (name.matcher(code.group(1)).matches()) {
                    found.add(code.group(1));
                }
            }
        });
        return found;
    }
}
