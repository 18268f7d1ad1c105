package dev.headroom.validation;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.op.StandardRules;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.OperatorCase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** How much of what common architectures call has a rule that a recorded case verifies. */
class CoverageTest {
    private static final double BAR = 0.95;

    @Test
    void operatorCallsOfCommonArchitecturesHaveVerifiedRules() throws IOException {
        Path file = Fixtures.folder().resolve("operators").resolve("coverage.csv");
        Set<String> verified = OperatorCase.verifiedOperators();
        Set<String> missing = new TreeSet<>();
        long all = 0;
        long covered = 0;
        List<String> lines = Files.readAllLines(file);
        for (String line : lines.subList(1, lines.size())) {
            String[] row = line.split(",");
            if (!row[0].startsWith("aten.")) {
                continue;
            }
            long calls = Long.parseLong(row[1]);
            all += calls;
            if (verified.contains(row[0]) && StandardRules.registry().find(row[0]) != null) {
                covered += calls;
            } else {
                missing.add(row[0] + " (" + calls + ")");
            }
        }
        double share = covered / (double) all;
        assertTrue(
                share >= BAR,
                String.format("%.2f %% of %d calls; not verified: %s", 100 * share, all, String.join(", ", missing)));
    }
}
