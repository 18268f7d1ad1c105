package dev.headroom.validation.compiled;

import dev.headroom.fixtures.Recording;
import dev.headroom.model.error.UserInputException;
import dev.headroom.validation.finetune.FinetuneComparison;
import dev.headroom.validation.finetune.ReportArguments;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Prints how predictions from plans compare with recordings of {@code torch.compile}: a line each, and, with {@code
 * -v}, every phase and event that differs.
 *
 * <pre>{@code
 * java -cp validation/target/classes:… dev.headroom.validation.compiled.CompiledReport [-v] [-f FOLDER] [PART OF NAME]…
 * }</pre>
 *
 * The folder of fixtures is found as in tests; {@code -Dheadroom.fixtures=FOLDER} names it. Plans lie in its folder
 * {@code plans}, under the names of the recordings.
 */
public final class CompiledReport {
    private static final int SHOWN = 12;

    private CompiledReport() {}

    /** See above. */
    public static void main(String[] args) {
        ReportArguments asked = ReportArguments.of(args, "compile");
        for (Path file : asked.files()) {
            String name = ReportArguments.name(file);
            print(Recording.read(file), asked.folder().resolve("plans").resolve(name + ".json.gz"), asked.verbose());
        }
    }

    private static void print(Recording recording, Path plan, boolean verbose) {
        try {
            FinetuneComparison compared = FinetuneComparison.of(recording, new CompiledRun(recording, plan).request());
            long allocated = compared.recorded().maxAllocated();
            long reserved = compared.recorded().maxReserved();
            System.out.printf(
                    Locale.ROOT,
                    "%-44s %s  allocated %+.4f %%, reserved %+.4f %%, %d phases differ%n",
                    recording.name(),
                    compared.equal() ? "=" : "X",
                    percent(compared.predicted().maxAllocated(), allocated),
                    percent(compared.predicted().maxReserved(), reserved),
                    compared.differences().size());
            if (verbose) {
                compared.differences().stream().limit(SHOWN).forEach(d -> System.out.println("    " + d));
                System.out.print(compared.trace());
            }
        } catch (UserInputException e) {
            System.out.printf(Locale.ROOT, "%-44s -  %s%n", recording.name(), e.getMessage());
        }
    }

    private static double percent(long predicted, long recorded) {
        return 100.0 * predicted / recorded - 100;
    }
}
