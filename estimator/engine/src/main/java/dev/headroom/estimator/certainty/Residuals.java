package dev.headroom.estimator.certainty;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** What predictions were off on runs that are known, and how far a further run keeps within. */
final class Residuals {
    private Residuals() {}

    /** The last column of a resource of this package; lines that begin with {@code #} are remarks. */
    static double[] read(String resource) {
        try (InputStream in = Residuals.class.getResourceAsStream(resource);
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            return lines.lines()
                    .filter(line -> !line.startsWith("#"))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(',') + 1)))
                    .toArray();
        } catch (IOException e) {
            throw new UncheckedIOException(resource, e);
        }
    }

    /**
     * What a further run keeps within with a probability: the {@code ceil((n + 1) level)}-th smallest, or the largest
     * where there are too few for the level.
     *
     * @param sizes of either sign's residuals, in order
     */
    static double margin(double[] sizes, double level) {
        int rank = (int) Math.ceil((sizes.length + 1) * level);
        return sizes[Math.min(rank, sizes.length) - 1];
    }
}
