package dev.headroom.app.command;

import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the repository's fixtures. */
final class TestFiles {
    private TestFiles() {}

    /** The folder fixtures, looked for from the working directory upwards. */
    static Path fixtures() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            Path folder = at.resolve("fixtures");
            if (Files.isDirectory(folder.resolve("snapshots"))) {
                return folder;
            }
        }
        throw new IllegalStateException(
                "no folder fixtures above " + Path.of("").toAbsolutePath());
    }
}
