package dev.headroom.advisor.checkpoints;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The model of costs against plays of random plans. */
class RandomPlansTest {
    private static final int PLANS = 12;

    private static List<Schedule.Piece> plan(StageCosts costs, Random random) {
        List<Schedule.Piece> pieces = new ArrayList<>();
        int at = 0;
        while (at < costs.stages()) {
            int last = Math.min(costs.stages() - 1, at + random.nextInt(1 + random.nextInt(6)));
            if (random.nextInt(3) > 0 && costs.allowed()[at][last]) {
                pieces.add(new Schedule.Piece(at, last));
                at = last;
            }
            at++;
        }
        return pieces;
    }

    /** Blocks may be larger than what was asked for, by what the allocator does not split off. */
    @ParameterizedTest
    @CsvSource({
        "resnet18-i224, 32, true",
        "vgg16-i224, 8, true",
        "convnext_tiny-i224, 8, true",
        "distilgpt2-s512, 4, true",
        "unet-i256, 4, false",
        "t5-small-s256, 2, false"
    })
    void playsAreWithinTwoPercentOfTheModelAndNeverBelowWhatItIsSureOf(String model, long batch, boolean chain) {
        Surveyed s = Surveyed.of(model, batch);
        Random random = new Random(7);
        assertEquals(chain, s.chain());
        for (int k = 0; k < PLANS; k++) {
            List<Schedule.Piece> pieces = plan(s.likely(), random);
            List<String> modules = s.stages().names(pieces);
            CheckpointChoice played = s.rehearsal()
                    .play(new Candidate("random", 0, modules, false))
                    .orElseThrow();
            Schedule likely = s.likely().evaluate(pieces);
            assertEquals(1, (double) (likely.peak() + s.before()) / played.peakAllocated(), 0.02, modules::toString);
            assertTrue(s.sure().evaluate(pieces).peak() + s.before() <= played.peakAllocated(), modules::toString);
            assertEquals(likely.again(), played.recomputedFlops(), modules::toString);
        }
    }
}
