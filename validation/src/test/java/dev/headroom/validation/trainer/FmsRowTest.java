package dev.headroom.validation.trainer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** SFTTrainer on a real A100: byte-exact peaks that nobody made with this project in mind. */
class FmsRowTest {
    private static final double NEAR = 0.001;
    private static final double NEAR_IN_EXPERTS = 0.02;

    static List<FmsRow> rows() {
        return FmsRow.all().stream()
                .filter(FmsRow::isStock)
                .filter(row -> Stream.of("tral", "Llama-2-70b", "PowerLM").anyMatch(row.model()::contains))
                .toList();
    }

    /** How near: where the peak lies in experts, it depends on how many tokens the fullest one got. */
    private static double near(FmsRow row) {
        boolean inExperts = row.model().contains("Mixtral") && row.config().equals("baseline-peft-bnb");
        return inExperts ? NEAR_IN_EXPERTS : NEAR;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void peaksAreNear(FmsRow row) {
        double off = FmsReport.deviation(row);
        assertTrue(Math.abs(off) <= near(row), row + ": " + off);
    }
}
