package dev.headroom.validation.finetune;

import dev.headroom.fixtures.Recording;
import dev.headroom.model.error.UserInputException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Prints how predictions of models from a {@code config.json} compare with the recordings of fine-tuning: a line each,
 * and, with {@code -v}, every phase and event that differs.
 *
 * <pre>{@code
 * java -cp validation/target/classes:… dev.headroom.validation.finetune.FinetuneReport [-v] [-f FOLDER] [PART OF NAME]…
 * }</pre>
 *
 * The folder of fixtures is found as in tests; {@code -Dheadroom.fixtures=FOLDER} names it.
 */
public final class FinetuneReport {
    private static final int SHOWN = 12;

    private FinetuneReport() {}

    /** See above. */
    public static void main(String[] args) {
        ReportArguments asked = ReportArguments.of(args, "finetune");
        int equal = 0;
        int all = 0;
        for (Path file : asked.files()) {
            all++;
            equal += print(Recording.read(file), asked.verbose()) ? 1 : 0;
        }
        System.out.printf(Locale.ROOT, "%d of %d equal%n", equal, all);
    }

    private static boolean print(Recording recording, boolean verbose) {
        List<String> unknown = new FinetuneRun(recording).unknown();
        if (!unknown.isEmpty()) {
            System.out.printf(Locale.ROOT, "%-60s -  lacks %s%n", recording.name(), String.join(" ", unknown));
            return false;
        }
        try {
            FinetuneComparison compared = FinetuneComparison.of(recording);
            System.out.printf(
                    Locale.ROOT,
                    "%-60s %s  peak allocated %d %+d, reserved %d %+d%s%n",
                    recording.name(),
                    compared.equal() ? "=" : "X",
                    compared.recorded().maxAllocated(),
                    compared.predicted().maxAllocated() - compared.recorded().maxAllocated(),
                    compared.recorded().maxReserved(),
                    compared.predicted().maxReserved() - compared.recorded().maxReserved(),
                    compared.equal() ? "" : ", " + compared.differences().size() + " phases differ");
            if (verbose) {
                compared.differences().stream().limit(SHOWN).forEach(d -> System.out.println("    " + d));
                System.out.print(compared.trace());
            }
            return compared.equal();
        } catch (UserInputException e) {
            System.out.printf(Locale.ROOT, "%-60s -  %s%n", recording.name(), e.getMessage());
        } catch (RuntimeException e) {
            System.out.printf(Locale.ROOT, "%-60s !  %s%n", recording.name(), e);
            if (verbose) {
                e.printStackTrace(System.out);
            }
        }
        return false;
    }
}
