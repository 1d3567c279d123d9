package io.weir.control.store;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import io.weir.config.InvalidConfigException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The configuration as a file: a JSON object with the rows of the database, the version they have there, and a checksum. It
 * is there as a whole or not at all, and for its owner alone.
 *
 * <p>The checksum is of the configuration without blanks, so a file that was printed anew is still good.
 */
final class LastGoodFile {

    /** Of the file; another one is for another Weir. */
    private static final int FORMAT = 1;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .changeDefaultVisibility(v -> v.withFieldVisibility(Visibility.ANY)
                    .withGetterVisibility(Visibility.NONE)
                    .withIsGetterVisibility(Visibility.NONE)
                    .withCreatorVisibility(Visibility.ANY))
            .build();

    /** What the checksum is of. */
    private record Content(Version version, Rows rows) {}

    private final Path file;
    private final Path folder;

    /** @throws IllegalArgumentException if it cannot be the name of a file */
    LastGoodFile(Path file) {
        this.file = file.toAbsolutePath();
        Path parent = this.file.getParent();
        if (parent == null) {
            throw new IllegalArgumentException(file + " is no file");
        }
        folder = parent;
    }

    Path path() {
        return file;
    }

    /** Replaces the file. When this returns it is on the disk. */
    void write(Stored stored) throws IOException {
        ObjectNode content = MAPPER.valueToTree(new Content(stored.version(), Rows.of(stored.state())));
        ObjectNode document = MAPPER.createObjectNode();
        document.put("format", FORMAT);
        document.put("written", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
        document.put("sha256", checksum(content));
        document.set("configuration", content);
        Files.createDirectories(folder);
        Path temporary = folder.resolve(file.getFileName() + ".new");
        // one that a killed process has left may have other rights
        Files.deleteIfExists(temporary);
        try (FileChannel channel = FileChannel.open(
                temporary, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownerOnly())) {
            ByteBuffer bytes = ByteBuffer.wrap(MAPPER.writeValueAsBytes(document));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        forceName();
    }

    private FileAttribute<?>[] ownerOnly() {
        boolean posix = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
        return posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }

    /** That the file has its name now is on the disk, too. */
    private void forceName() throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (FileSystemException e) {
            // Windows has no such thing
        }
    }

    /**
     * Reads it.
     *
     * @return null if there is none
     * @throws LastGoodException if it is damaged, of another format, or holds what this version does not understand
     */
    @Nullable
    Stored read() {
        JsonNode document;
        try {
            document = MAPPER.readTree(Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException | JacksonException e) {
            throw new LastGoodException(file, "it is not readable, or no JSON: " + firstLine(e), e);
        }
        int format = document.path("format").asInt(0);
        if (format != FORMAT) {
            throw new LastGoodException(file, "its format is " + format + ", and this Weir reads " + FORMAT);
        }
        JsonNode content = document.path("configuration");
        if (!checksum(content).equals(document.path("sha256").asString(""))) {
            throw new LastGoodException(file, "it is damaged: its checksum is wrong");
        }
        try {
            Content read = MAPPER.treeToValue(content, Content.class);
            return new Stored(read.version, read.rows.toState(read.version.revision()));
        } catch (InvalidConfigException | IllegalStateException | JacksonException e) {
            throw new LastGoodException(file, firstLine(e), e);
        }
    }

    private static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    private static String checksum(JsonNode content) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(MAPPER.writeValueAsBytes(content));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new UncheckedIOException(new IOException(e));
        }
    }
}
