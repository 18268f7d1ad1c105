package dev.headroom.validation.generate;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The generated models are what they promise to be. */
class GeneratorsTest {
    @Provide
    Arbitrary<RandomCase> cases() {
        return Generators.cases();
    }

    @Property(tries = 200)
    void everyCaseIsPlayedWithRulesForAllOperators(@ForAll("cases") RandomCase c) {
        Prediction p =
                Predictor.predict(new PredictionRequest(c.graph(), c.run().training()));
        assertTrue(p.unmodelled().isEmpty(), () -> p.unmodelled().toString());
        assertTrue(p.peak().allocated() > 0);
    }
}
