package dev.headroom.validation.cudnn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.fixtures.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Distilled workspaces beside answers of cuDNN that nothing was learned from. */
class HitRatesTest {
    private static final Path FOLDER = Fixtures.recordings().resolveSibling("cudnn");

    @Test
    void rulesAreAsGoodAsTheTableSays() throws IOException {
        Map<String, double[]> stated = table();
        Map<String, double[]> measured =
                HitRates.of(FOLDER.resolve("held-out.txt.gz")).rates();
        assertEquals(stated.keySet(), measured.keySet());
        stated.forEach((group, rates) -> {
            for (int i = 0; i < rates.length; i++) {
                double rate = measured.get(group)[i];
                int direction = i;
                assertTrue(rate >= rates[i], () -> group + ", direction " + direction + ": " + rate);
            }
        });
    }

    /** The rows {@code | 8.6 | fp32 | nchw | 0.900 | 0.950 | 0.900 |} of the README. */
    private static Map<String, double[]> table() throws IOException {
        Map<String, double[]> out = new TreeMap<>();
        for (String line : Files.readAllLines(FOLDER.resolve("README.md"))) {
            String[] f = line.split("\\|");
            if (f.length == 7 && f[1].strip().matches("\\d+\\.\\d")) {
                out.put(
                        f[1].strip() + " | " + f[2].strip() + " | " + f[3].strip(),
                        new double[] {Double.parseDouble(f[4]), Double.parseDouble(f[5]), Double.parseDouble(f[6])});
            }
        }
        return out;
    }
}
