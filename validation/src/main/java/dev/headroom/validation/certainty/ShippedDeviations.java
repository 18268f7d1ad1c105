package dev.headroom.validation.certainty;

import dev.headroom.estimator.certainty.Deviations;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The calibration that ships, without the runs of a model: what it says of that model comes from others, as for a model
 * that was never measured.
 */
public final class ShippedDeviations {
    private static final String RESOURCE = "deviations.csv";
    private static final Map<String, Deviations> WITHOUT = new ConcurrentHashMap<>();

    private ShippedDeviations() {}

    /** @param archive of the model that is left out */
    public static Deviations withoutModel(String archive) {
        return WITHOUT.computeIfAbsent(
                archive,
                left -> new Deviations(rows().stream()
                        .map(row -> row.split(","))
                        .filter(row -> !row[0].equals(left))
                        .mapToDouble(row -> Double.parseDouble(row[row.length - 1]))
                        .toArray()));
    }

    private static List<String> rows() {
        try (InputStream in = Deviations.class.getResourceAsStream(RESOURCE);
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            return lines.lines().filter(line -> !line.startsWith("#")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(RESOURCE, e);
        }
    }
}
