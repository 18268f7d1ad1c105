package dev.headroom.graph;

import java.io.IOException;
import java.nio.file.Path;

/** Says why a file that an option names was not written. */
public final class Unwritable {
    private Unwritable() {}

    /** What the user reads. */
    public static GraphException of(String option, Path file, IOException e) {
        return new GraphException(option + ": " + file + " cannot be written: " + reason(e), e);
    }

    private static String reason(IOException e) {
        String what = e.getClass().getSimpleName().replace("Exception", "");
        return switch (what) {
            case "NoSuchFile" -> "its folder does not exist";
            case "AccessDenied" -> "permission denied";
            default -> e.getMessage();
        };
    }
}
