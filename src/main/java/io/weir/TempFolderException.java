package io.weir;

import java.io.IOException;
import java.nio.file.Path;

/** No temporary file can be made where they are to be. */
final class TempFolderException extends RuntimeException {

    private static final long serialVersionUID = 1;

    TempFolderException(Path folder, IOException cause) {
        super("No temporary file can be made in " + folder.toAbsolutePath().normalize() + ": " + cause, cause);
    }
}
