package dev.headroom.validation;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.graph.GraphException;
import dev.headroom.predict.PredictionRequest;
import dev.headroom.predict.Predictor;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Prints one row a recording: phases exact to the byte, the worst errors of {@code allocated} or {@code max_allocated}
 * and of {@code max_reserved}, and the first phase that differs. When the filter leaves a single recording, every
 * differing phase is printed.
 */
public final class CompareRecordings {
    private final Path models;
    private final PrintStream out;
    private int compared;
    private int allExact;

    private CompareRecordings(Path models, PrintStream out) {
        this.models = models;
        this.out = out;
    }

    /** {@code CompareRecordings FOLDER_OF_RECORDINGS FOLDER_OF_MODELS [PART_OF_NAME]}. */
    public static void main(String[] args) {
        if (args.length < 2) {
            System.err.println("usage: CompareRecordings FOLDER_OF_RECORDINGS FOLDER_OF_MODELS [PART_OF_NAME]");
            System.exit(2);
        }
        List<Path> files = Fixtures.recordings(Path.of(args[0])).stream()
                .filter(f -> args.length < 3 || f.getFileName().toString().contains(args[2]))
                .toList();
        CompareRecordings report = new CompareRecordings(Path.of(args[1]), System.out);
        report.out.printf(
                "%-42s %9s %9s %9s %6s  %s%n", "recording", "exact", "alloc %", "resv %", "ms", "first difference");
        files.forEach(file -> report.row(Recording.read(file), files.size() == 1));
        report.out.printf("%d compared, %d exact in every phase%n", report.compared, report.allExact);
    }

    private void row(Recording recording, boolean detailed) {
        RecordedRun run = new RecordedRun(recording);
        Optional<Path> archive = run.archive(models);
        if (archive.isEmpty() || run.obstacle().isPresent()) {
            out.printf("%-42s skipped: %s%n", recording.name(), run.obstacle().orElse("no archive"));
            return;
        }
        try {
            PredictionRequest request = run.request(archive.get());
            long start = System.nanoTime();
            Comparison comparison = Comparison.of(recording, Predictor.predict(request));
            print(recording, comparison, (System.nanoTime() - start) / 1_000_000);
            if (detailed) {
                comparison.rows().forEach(r -> out.println("  " + (r.exact() ? "  " : "! ") + r.difference()));
            }
        } catch (GraphException e) {
            out.printf("%-42s refused: %s%n", recording.name(), e.getMessage());
        } catch (RuntimeException e) {
            String place = e.getStackTrace().length == 0 ? "" : " at " + e.getStackTrace()[0];
            out.printf("%-42s failed: %s%s%n", recording.name(), e, place);
            if (detailed) {
                e.printStackTrace(out);
            }
        }
    }

    private void print(Recording recording, Comparison c, long millis) {
        long exact = c.rows().stream().filter(Comparison.Row::exact).count();
        compared++;
        allExact += exact == recording.phases().size() && c.structure().isEmpty() ? 1 : 0;
        out.printf(
                Locale.ROOT,
                "%-42s %9s %9.3f %9.3f %6d  %s%n",
                recording.name(),
                exact + "/" + recording.phases().size(),
                100 * c.worstAllocated(),
                100 * c.worstReserved(),
                millis,
                c.structure().isEmpty() ? c.firstDivergence() : c.structure() + "; " + c.firstDivergence());
    }
}
