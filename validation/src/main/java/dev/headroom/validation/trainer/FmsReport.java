package dev.headroom.validation.trainer;

import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.error.UserInputException;
import java.io.PrintStream;
import java.util.Locale;

/** Prints what SFTTrainer took on a real GPU beside what is predicted. */
public final class FmsReport {
    private FmsReport() {}

    /** A line a run, and how many are near. */
    public static void main(String[] arguments) {
        print(System.out);
    }

    static void print(PrintStream out) {
        int runs = 0;
        int near = 0;
        for (FmsRow row : FmsRow.all()) {
            if (!row.isStock()) {
                continue;
            }
            try {
                double off = deviation(row);
                runs++;
                near += Math.abs(off) <= 0.001 ? 1 : 0;
                out.printf(Locale.ROOT, "%+.3f %%  %s%n", 100 * off, row);
            } catch (UserInputException e) {
                out.println("not predicted  " + row + ": " + e.getMessage());
            }
        }
        out.println(near + " of " + runs + " within 0.1 %");
    }

    /**
     * How far the predicted peak lies from the measured one, as a share of it; 0 when both ran out of memory, 1 when only
     * one did.
     */
    static double deviation(FmsRow row) {
        Simulation run = Predictor.simulate(row.request().orElseThrow());
        Long measured = row.peak();
        boolean failed = run.oom() != null;
        if (measured == null || failed) {
            return failed && measured == null ? 0 : 1;
        }
        return (run.maxAllocated() - measured) / (double) measured;
    }
}
