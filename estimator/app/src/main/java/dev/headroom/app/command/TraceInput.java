package dev.headroom.app.command;

import dev.headroom.allocator.trace.Trace;
import dev.headroom.allocator.trace.TraceFile;
import dev.headroom.model.error.UserInputException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** Reads traces; whatever is wrong with one becomes a line that names it. */
final class TraceInput {
    private TraceInput() {}

    /** @throws UserInputException when the file is missing or holds no trace */
    static Trace open(Path file) {
        if (Files.isDirectory(file)) {
            throw new UserInputException(file + " is a directory; name a snapshot or a trace");
        }
        return read(file, () -> TraceFile.open(file));
    }

    /** What an action reads from a file. */
    static <T> T read(Path file, Callable<T> action) {
        try {
            return action.call();
        } catch (NoSuchFileException e) {
            throw new UserInputException(file + " does not exist", e);
        } catch (AccessDeniedException e) {
            throw new UserInputException(file + " cannot be read: permission denied", e);
        } catch (EOFException e) {
            throw new UserInputException(file + " is cut off: its compressed data end too early", e);
        } catch (IOException e) {
            throw new UserInputException(file + " cannot be read: " + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new UserInputException(named(file, Objects.requireNonNullElse(e.getMessage(), e.toString())), e);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Settings that allocator-sim checks. */
    static <T> T settings(Object where, Supplier<T> parser) {
        try {
            return parser.get();
        } catch (IllegalArgumentException e) {
            throw new UserInputException(where + ": " + e.getMessage(), e);
        }
    }

    private static String named(Path file, String message) {
        return message.contains(String.valueOf(file.getFileName())) ? message : file + ": " + message;
    }
}
