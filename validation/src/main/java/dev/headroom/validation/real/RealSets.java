package dev.headroom.validation.real;

import dev.headroom.model.error.UserInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The sets of runs in a folder. */
public final class RealSets {
    private static final List<RealFile> FORMATS =
            List.of(new Perceptrons(), new ImageModels(), new BatchLadder(), new TrainerRuns(), new LayerRuns());

    private RealSets() {}

    /**
     * Reads every table of a known format.
     *
     * @param archives where exported models lie
     * @param only what the name of a set must have in it
     * @throws UserInputException when there is none, or one cannot be read
     */
    public static List<RealSet> of(Path folder, List<Path> archives, String only) {
        List<RealSet> out = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(f -> f.toString().matches(".*\\.csv(\\.gz)?"))
                    .sorted()
                    .toList()) {
                CsvRows rows = CsvRows.read(file);
                FORMATS.stream()
                        .filter(f -> f.reads(rows))
                        .map(f -> f.set(rows, new Archives(archives)))
                        .filter(set -> set.name().contains(only) && !set.runs().isEmpty())
                        .forEach(out::add);
            }
        } catch (IOException e) {
            throw new UserInputException(folder + " cannot be read: " + e.getMessage(), e);
        }
        if (out.isEmpty()) {
            throw new UserInputException(folder + " holds no table in a format of fixtures/real");
        }
        return out;
    }
}
