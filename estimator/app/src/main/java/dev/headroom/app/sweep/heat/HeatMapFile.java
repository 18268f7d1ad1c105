package dev.headroom.app.sweep.heat;

import dev.headroom.app.option.BadOption;
import dev.headroom.model.error.Unwritable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;

/** A heat map in a file. */
public final class HeatMapFile {
    private HeatMapFile() {}

    /**
     * Refuses a file name that no heat map can have.
     *
     * @throws dev.headroom.model.error.UserInputException unless it ends in {@code .svg}, {@code .png} or {@code
     *     .html}, or where its folder does not exist
     */
    public static void check(Path file) {
        Unwritable.checkFolder("--heatmap", file);
        if (!name(file).endsWith(".svg") && !name(file).endsWith(".png") && !isPage(file)) {
            throw new BadOption("--heatmap: " + file + " is neither .svg nor .png nor .html; name it so");
        }
    }

    /** Whether the file holds any number of panels. */
    public static boolean isPage(Path file) {
        return name(file).endsWith(".html");
    }

    /**
     * Draws; an image has the first panel.
     *
     * @throws dev.headroom.model.error.UserInputException when the file cannot be written
     */
    public static void write(HeatMap map, Path file) {
        check(file);
        System.setProperty("java.awt.headless", "true");
        try {
            if (isPage(file)) {
                try (Writer out = Files.newBufferedWriter(file)) {
                    HeatMapPage.write(map, out);
                }
                return;
            }
            try (OutputStream out = Files.newOutputStream(file)) {
                if (name(file).endsWith(".svg")) {
                    VectorGraphicsEncoder.saveVectorGraphic(HeatMapImage.of(map), out, VectorGraphicsFormat.SVG);
                } else {
                    BitmapEncoder.saveBitmap(HeatMapImage.of(map), out, BitmapFormat.PNG);
                }
            }
        } catch (IOException e) {
            throw Unwritable.of("--heatmap", file, e);
        } catch (LinkageError | InternalError e) {
            throw new BadOption("--heatmap: this Java cannot draw text (" + e.getMessage()
                    + "); install fontconfig and a font, such as the package fonts-dejavu-core, or write .html");
        }
    }

    private static String name(Path file) {
        return file.toString().toLowerCase(Locale.ROOT);
    }
}
