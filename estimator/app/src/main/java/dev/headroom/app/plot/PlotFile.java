package dev.headroom.app.plot;

import dev.headroom.estimator.timeline.PlayedRun;
import dev.headroom.model.error.Unwritable;
import dev.headroom.model.error.UserInputException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;

/** A picture of a run in a file. */
public final class PlotFile {
    private PlotFile() {}

    /**
     * Refuses a file that no picture can be written to.
     *
     * @throws UserInputException unless it ends in {@code .svg} or {@code .png}, or where its folder does not exist
     */
    public static void check(Path file) {
        if (!isSvg(file) && !name(file).endsWith(".png")) {
            throw new UserInputException("--plot: " + file + " is neither .svg nor .png; name it so");
        }
        Unwritable.checkFolder("--plot", file);
        if (ModuleLayer.boot().findModule("java.desktop").isEmpty()) {
            throw new UserInputException("--plot: this installation's Java cannot draw; write a page with --report"
                    + " instead, or use the distribution that runs with a JDK");
        }
    }

    /**
     * Draws the memory of a run over time.
     *
     * @throws UserInputException when the file cannot be written
     */
    public static void write(PlayedRun run, Path file) {
        check(file);
        System.setProperty("java.awt.headless", "true");
        try {
            XYChart chart = MemoryPlot.of(run);
            try (OutputStream out = Files.newOutputStream(file)) {
                if (isSvg(file)) {
                    VectorGraphicsEncoder.saveVectorGraphic(chart, out, VectorGraphicsFormat.SVG);
                } else {
                    BitmapEncoder.saveBitmap(chart, out, BitmapFormat.PNG);
                }
            }
        } catch (IOException e) {
            throw Unwritable.of("--plot", file, e);
        } catch (LinkageError | InternalError e) {
            throw new UserInputException(
                    "--plot: this Java cannot draw text (" + e.getMessage()
                            + "); install fontconfig and a font, such as the package fonts-dejavu-core",
                    e);
        }
    }

    private static boolean isSvg(Path file) {
        return name(file).endsWith(".svg");
    }

    private static String name(Path file) {
        return file.toString().toLowerCase(Locale.ROOT);
    }
}
