package dev.headroom.model.error;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Says why a file that an option names was not written. */
public final class Unwritable {
    private Unwritable() {}

    /** What the user reads. */
    public static UserInputException of(String option, Path file, IOException e) {
        return new UserInputException(option + ": " + file + " cannot be written: " + reason(e), e);
    }

    private static @Nullable String reason(IOException e) {
        String what = e.getClass().getSimpleName().replace("Exception", "");
        return switch (what) {
            case "NoSuchFile" -> "its folder does not exist";
            case "AccessDenied" -> "permission denied";
            default -> e.getMessage();
        };
    }
}
