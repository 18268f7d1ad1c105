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
import java.util.function.Predicate;

/**
 * The calibration that ships, without the runs of a model or of a card: what it says of them comes from others, as
 * for a model or a card that was never measured.
 */
public final class ShippedDeviations {
    private static final String RESOURCE = "deviations.csv";
    private static final int COLUMNS = 6;
    private static final Map<String, Deviations> WITHOUT = new ConcurrentHashMap<>();

    private ShippedDeviations() {}

    /** A line: a run and how far its measurement lay outside of what was predicted. */
    private record Row(String model, String card, double deviation) {
        static Row of(String line) {
            String[] c = line.split(",", COLUMNS);
            return new Row(c[0], c[COLUMNS - 2], Double.parseDouble(c[COLUMNS - 1]));
        }
    }

    /** @param archive of the model that is left out */
    public static Deviations withoutModel(String archive) {
        return WITHOUT.computeIfAbsent("model " + archive, k -> where(row -> !row.model.equals(archive)));
    }

    /** @param gpu name of the card that is left out */
    public static Deviations withoutCard(String gpu) {
        return WITHOUT.computeIfAbsent("card " + gpu, k -> where(row -> !row.card.equals(gpu)));
    }

    private static Deviations where(Predicate<Row> counts) {
        return new Deviations(rows().stream()
                .map(Row::of)
                .filter(counts)
                .mapToDouble(Row::deviation)
                .toArray());
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
