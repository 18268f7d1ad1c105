package dev.headroom.validation.certainty;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Writes the calibration that ships: {@code
 * estimator/engine/src/main/resources/dev/headroom/estimator/certainty/deviations.csv}. To be repeated when predictions
 * change.
 */
public final class CalibrateDeviations {
    private CalibrateDeviations() {}

    /** Argument: the file to write. */
    public static void main(String[] arguments) throws IOException {
        Files.write(Path.of(arguments[0]), lines());
    }

    /** The file's lines. */
    static List<String> lines() {
        List<String> out = new ArrayList<>(List.of(
                "# How far the published measurements of fixtures/published/xmem.csv lay outside of what was predicted:"
                        + " model,optimizer,batch,class,card,deviation.",
                "# Written by dev.headroom.validation.certainty.CalibrateDeviations;"
                        + " dev.headroom.estimator.certainty.Deviations"
                        + " says what a deviation is."));
        for (MeasuredRun r : MeasuredRun.comparable()) {
            out.add(String.join(
                    ",",
                    r.row().archive(),
                    r.row().optimizer().option(),
                    Long.toString(r.row().batch()),
                    r.row().kind(),
                    r.row().gpu(),
                    String.format(Locale.ROOT, "%.4f", r.deviation())));
        }
        return out;
    }
}
