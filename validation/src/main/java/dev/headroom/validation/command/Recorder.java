package dev.headroom.validation.command;

import dev.headroom.model.error.Unwritable;
import dev.headroom.model.error.UserInputException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The Python script with which users record their own runs: the resource {@code record.py}. */
final class Recorder {
    private static final String SCRIPT = "record.py";

    private Recorder() {}

    /**
     * Writes it to a new file.
     *
     * @throws UserInputException when there is one already, or it cannot be written
     */
    static void write(Path file) {
        if (file.toString().isEmpty()) {
            throw new UserInputException("--recorder: '' is no file; name one such as record.py");
        }
        try (InputStream script = Recorder.class.getResourceAsStream(SCRIPT)) {
            Files.copy(script, file);
        } catch (FileAlreadyExistsException e) {
            throw new UserInputException("--recorder: " + file + " exists already; name another file", e);
        } catch (IOException e) {
            throw Unwritable.of("--recorder", file, e);
        }
    }
}
