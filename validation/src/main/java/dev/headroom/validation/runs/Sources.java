package dev.headroom.validation.runs;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.error.UserInputException;
import dev.headroom.validation.published.PublishedReport;
import dev.headroom.validation.published.XmemRow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Where measured runs come from. */
public final class Sources {
    private Sources() {}

    /**
     * Everything of the project: recordings of PyTorch, those of random models among them, the runs of the xMem
     * repository, the figures of published systems.
     *
     * @throws UserInputException where the fixtures are not at hand
     */
    public static List<MeasuredRuns> fixtures() {
        Path recordings = recordings();
        List<MeasuredRuns> out = new ArrayList<>();
        List<Path> models = List.of(Fixtures.models());
        for (String folder : List.of("", "traces", "cudnn/h200", "cudnn/rtx3060-12")) {
            Fixtures.recordings(recordings.resolve(folder))
                    .forEach(f -> out.add(new RecordingRun("recordings", recordings, f, models)));
        }
        Path recorder = recordings.resolve("recorder");
        Fixtures.recordings(recorder)
                .forEach(f -> out.add(new RecordingRun("recordings", recordings, f, List.of(recorder))));
        for (String file : List.of("random.jsonl.gz", "found.jsonl.gz")) {
            out.addAll(RandomModelRun.of(Fixtures.folder().resolve("random").resolve(file)));
        }
        XmemRow.all().forEach(row -> out.add(new XmemRun(row)));
        PublishedReport.systems().forEach((name, figures) -> out.add(new PublishedFigures(name, figures)));
        return out;
    }

    private static Path recordings() {
        try {
            Path recordings = Fixtures.recordings();
            if (Files.isDirectory(recordings)) {
                return recordings;
            }
        } catch (IllegalStateException e) {
            throw new UserInputException("the project's own recordings are not here; name a FOLDER", e);
        }
        throw new UserInputException("the project's own recordings are not here; name a FOLDER");
    }

    /**
     * The recordings of a folder and of those in it: every {@code .json} and {@code .json.gz}, their archives beside
     * them.
     *
     * @throws UserInputException when there are none
     */
    public static List<MeasuredRuns> folder(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw new UserInputException(folder + " is not a folder; name one with recordings and their archives");
        }
        List<MeasuredRuns> out = new ArrayList<>();
        Path last = folder.toAbsolutePath().normalize().getFileName();
        String source = last == null ? folder.toString() : last.toString();
        try (Stream<Path> files = Files.walk(folder)) {
            files.filter(f -> f.toString().endsWith(".json.gz") || f.toString().endsWith(".json"))
                    .filter(f -> !Files.isDirectory(f))
                    .sorted()
                    .forEach(f -> out.add(new RecordingRun(
                            source, folder, f, List.of(f.toAbsolutePath().getParent(), folder.toAbsolutePath()))));
        } catch (IOException e) {
            throw new UserInputException(folder + " cannot be read: " + e.getMessage(), e);
        } catch (UncheckedIOException e) { // from a folder in it
            throw new UserInputException(
                    folder + " cannot be read: "
                            + Objects.requireNonNull(e.getCause()).getMessage(),
                    e);
        }
        if (out.isEmpty()) {
            throw new UserInputException(folder + " holds no recordings (NAME.json.gz); 'headroom validate --recorder"
                    + " record.py' writes a script that makes them");
        }
        return out;
    }
}
