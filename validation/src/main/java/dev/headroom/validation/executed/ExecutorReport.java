package dev.headroom.validation.executed;

import dev.headroom.executor.op.StandardOperators;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.OperatorCase;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.validation.RecordedRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * {@code ExecutorReport [FOLDER [ARCHIVES]]}: runs all recordings of a folder on the executor's memory-only backend,
 * says which it refuses and where its memory differs from PyTorch's, and lists the operators that it lacks by the
 * number of archives that each blocks. Without arguments, the recordings of {@code fixtures/wild}.
 */
public final class ExecutorReport {
    private ExecutorReport() {}

    public static void main(String[] args) {
        Path folder = args.length > 0 ? Path.of(args[0]) : Fixtures.folder().resolve("wild");
        Path archives = args.length > 1 ? Path.of(args[1]) : folder;
        Map<Path, List<ExecutedRecording>> byArchive = run(folder, archives);
        List<ExecutedRecording> runs =
                byArchive.values().stream().flatMap(List::stream).toList();
        for (ExecutedRecording r : runs) {
            if (r.ran() && !r.equal()) {
                System.out.println("differs  " + r.name() + ": " + r.difference());
            } else if (!r.ran()) {
                System.out.println("refused  " + r.name() + ": " + r.refusal());
            }
        }
        System.out.println();
        lacking(byArchive);
        cases();
        System.out.printf(
                "%n%d of %d archives run, %d equal; %d of %d recordings run, %d equal%n",
                count(byArchive, true),
                byArchive.size(),
                count(byArchive, false),
                runs.stream().filter(ExecutedRecording::ran).count(),
                runs.size(),
                runs.stream().filter(ExecutedRecording::equal).count());
    }

    /** How many recorded cases of single operators each operator keeps from running. */
    private static void cases() {
        Set<String> known = StandardOperators.all().names();
        Map<String, Integer> blocked = new TreeMap<>();
        int runnable = 0;
        List<OperatorCase> all = OperatorCase.all();
        for (OperatorCase c : all) {
            Set<String> lacking = c.operators().stream()
                    .map(name -> name.substring(0, name.lastIndexOf('.')))
                    .filter(name -> !known.contains(name))
                    .collect(Collectors.toSet());
            lacking.forEach(name -> blocked.merge(name, 1, Integer::sum));
            runnable += lacking.isEmpty() ? 1 : 0;
        }
        System.out.printf(
                "%n%d operators; %d of %d recorded cases of operators can run; the others lack%n  %s%n",
                known.size(), runnable, all.size(), blocked);
    }

    /** Runs all recordings of a folder whose archives are there. */
    public static Map<Path, List<ExecutedRecording>> run(Path folder, Path archives) {
        Map<Path, List<ExecutedRecording>> out = new TreeMap<>();
        Map<Path, Graph> graphs = new HashMap<>();
        for (Path file : Fixtures.recordings(folder)) {
            Recording recording = Recording.read(file);
            RecordedRun run = new RecordedRun(recording);
            run.archive(archives).filter(a -> run.obstacle().isEmpty()).ifPresent(archive -> {
                Graph graph = graphs.computeIfAbsent(archive, Importers::read);
                String name = file.getFileName().toString().replace(".json.gz", "");
                out.computeIfAbsent(archive, k -> new ArrayList<>()).add(ExecutedRecording.of(name, recording, graph));
            });
        }
        return out;
    }

    private static long count(Map<Path, List<ExecutedRecording>> byArchive, boolean ran) {
        return byArchive.values().stream()
                .filter(rs -> rs.stream().allMatch(r -> ran ? r.ran() : r.equal()))
                .count();
    }

    private static void lacking(Map<Path, List<ExecutedRecording>> byArchive) {
        Map<String, Set<String>> blocked = new TreeMap<>();
        byArchive.forEach(
                (archive, runs) -> runs.get(0).lacking().forEach(o -> blocked.computeIfAbsent(o, k -> new TreeSet<>())
                        .add(archive.getFileName().toString().replace(".pt2", ""))));
        blocked.entrySet().stream()
                .sorted(Comparator.comparingInt(e -> -e.getValue().size()))
                .forEach(e -> System.out.println(
                        "lacks    " + e.getKey() + ": " + e.getValue().size() + " " + e.getValue()));
    }
}
