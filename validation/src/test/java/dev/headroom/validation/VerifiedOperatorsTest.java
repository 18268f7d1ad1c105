package dev.headroom.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What {@code headroom operators} says is what the fixtures verify. */
class VerifiedOperatorsTest {
    @Test
    void listIsUpToDate() throws IOException {
        try (InputStream in = getClass().getResourceAsStream("/dev/headroom/estimator/op/verified.csv")) {
            assertEquals(
                    VerifiedOperators.text(),
                    new String(in.readAllBytes(), StandardCharsets.UTF_8),
                    "run VerifiedOperators estimator/engine/src/main/resources/dev/headroom/estimator/op/verified.csv");
        }
    }
}
