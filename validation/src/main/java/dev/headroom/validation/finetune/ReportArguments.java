package dev.headroom.validation.finetune;

import dev.headroom.fixtures.Fixtures;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What reports on recordings take: {@code [-v] [-f FOLDER] [PART OF NAME]…}.
 *
 * @param verbose whether every phase that differs is told
 * @param folder of the recordings
 * @param parts of names; all recordings where there are none
 */
public record ReportArguments(boolean verbose, Path folder, List<String> parts) {
    /**
     * Reads them.
     *
     * @param folder among the project's recordings, where none is given
     */
    public static ReportArguments of(String[] args, String folder) {
        List<String> parts = new ArrayList<>(List.of(args));
        boolean verbose = parts.remove("-v");
        int at = parts.indexOf("-f");
        Path chosen = at < 0 ? Fixtures.recordings().resolve(folder) : Path.of(parts.remove(at + 1));
        parts.remove("-f");
        return new ReportArguments(verbose, chosen, List.copyOf(parts));
    }

    /** The recordings that are asked for. */
    public List<Path> files() {
        return Fixtures.recordings(folder).stream()
                .filter(file -> parts.isEmpty() || parts.stream().anyMatch(name(file)::contains))
                .toList();
    }

    /** A recording's name, by its file. */
    public static String name(Path file) {
        return String.valueOf(file.getFileName()).replace(".json.gz", "");
    }
}
