package dev.headroom.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.OperatorCase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Samples of every differentiable function that PyTorch tests itself with: each is played exactly or the prediction says
 * that it is not. What is neither stands in {@code open.txt}.
 */
class SweepTest {
    private static final Path FOLDER = Fixtures.operators().resolve("sweep");
    private static final double EXACT = 0.78;

    @Test
    void samplesAreExactOrMarked() throws IOException {
        Set<String> open = Files.readAllLines(FOLDER.resolve("open.txt")).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(line -> line.split("[ :]")[0])
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> silent = new TreeSet<>();
        int all = 0;
        int exact = 0;
        for (OperatorCase c : OperatorCase.read(FOLDER.resolve("samples.json.gz"))) {
            all++;
            PlayedCase played = PlayedCase.play(c);
            boolean same = played.divergence(c).isEmpty();
            exact += same && played.unmodelled().isEmpty() ? 1 : 0;
            if (!same && played.unmodelled().isEmpty()) {
                silent.add(c.name());
            }
        }
        silent.removeAll(open);
        assertEquals(Set.of(), silent, "played otherwise than recorded, without a word");
        assertTrue(exact >= EXACT * all, exact + " of " + all + " exact");
    }
}
