package dev.headroom.validation.compiled;

import dev.headroom.fixtures.Recording;
import dev.headroom.model.error.UserInputException;
import dev.headroom.validation.finetune.FinetuneComparison;
import dev.headroom.validation.finetune.ReportArguments;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Prints how predictions of compiled runs from archives alone compare with recordings, a line each, and the median and
 * the 90th percentile of what they are off; with {@code -v} every phase that differs.
 *
 * <pre>{@code
 * java -cp validation/target/classes:… dev.headroom.validation.compiled.EstimateReport [-v] [-f FOLDER] [PART OF NAME]…
 * }</pre>
 */
public final class EstimateReport {
    private static final int SHOWN = 20;

    private EstimateReport() {}

    /** See above. */
    public static void main(String[] args) {
        ReportArguments asked = ReportArguments.of(args, "compile");
        List<Double> off = new ArrayList<>();
        for (Path file : asked.files()) {
            String name = ReportArguments.name(file);
            print(new EstimatedRun(Recording.read(file)), name, asked.verbose(), off);
        }
        double[] sorted = off.stream().mapToDouble(Math::abs).sorted().toArray();
        if (sorted.length > 0) {
            System.out.printf(
                    Locale.ROOT,
                    "%d runs: median %.2f %%, 90 %% within %.2f %%, within 6 %%: %d%n",
                    sorted.length,
                    sorted[sorted.length / 2],
                    sorted[(int) Math.ceil(0.9 * sorted.length) - 1],
                    Arrays.stream(sorted).filter(p -> p <= 6).count());
        }
    }

    private static void print(EstimatedRun run, String name, boolean verbose, List<Double> off) {
        if (run.obstacle().isPresent()) {
            System.out.printf(Locale.ROOT, "%-44s -  %s%n", name, run.obstacle().get());
            return;
        }
        try {
            FinetuneComparison compared = FinetuneComparison.of(run.recording(), run.request());
            double allocated = percent(
                    compared.predicted().maxAllocated(), compared.recorded().maxAllocated());
            off.add(allocated);
            System.out.printf(
                    Locale.ROOT,
                    "%-44s allocated %+7.2f %%, reserved %+7.2f %%%n",
                    name,
                    allocated,
                    percent(
                            compared.predicted().maxReserved(),
                            compared.recorded().maxReserved()));
            if (verbose) {
                compared.differences().stream().limit(SHOWN).forEach(d -> System.out.println("    " + d));
            }
        } catch (UserInputException e) {
            System.out.printf(Locale.ROOT, "%-44s -  %s%n", name, e.getMessage());
        }
    }

    private static double percent(long predicted, long recorded) {
        return 100.0 * predicted / recorded - 100;
    }
}
