package dev.headroom.model.error;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Says why a file that an option names was not written. */
public final class Unwritable {
    private static final String NO_FOLDER = "its folder does not exist";

    private Unwritable() {}

    /**
     * For what takes long to compute: says beforehand that there will be no place for it.
     *
     * @param file {@code null} where the option was not given
     * @throws UserInputException where the folder of the file does not exist
     */
    public static void checkFolder(String option, @Nullable Path file) {
        if (file == null) {
            return;
        }
        Path folder = file.toAbsolutePath().normalize().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw new UserInputException(message(option, file, NO_FOLDER));
        }
    }

    /** What the user reads. */
    public static UserInputException of(String option, Path file, IOException e) {
        return new UserInputException(message(option, file, reason(e)), e);
    }

    private static String message(String option, Path file, @Nullable String reason) {
        return option + ": " + file + " cannot be written: " + reason;
    }

    private static @Nullable String reason(IOException e) {
        String what = e.getClass().getSimpleName().replace("Exception", "");
        return switch (what) {
            case "NoSuchFile" -> NO_FOLDER;
            case "AccessDenied" -> "permission denied";
            default -> e.getMessage();
        };
    }
}
