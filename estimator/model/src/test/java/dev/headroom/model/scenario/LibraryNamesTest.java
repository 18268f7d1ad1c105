package dev.headroom.model.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.adapter.AdapterMethod;
import dev.headroom.model.trainer.OptimNames;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names that libraries give to optimizers and adapters. */
class LibraryNamesTest {
    @ParameterizedTest
    @CsvSource({
        "paged_adamw_8bit, paged-adamw8bit",
        "adamw_bnb_8bit, adamw8bit",
        "adamw_torch_4bit, ao-adamw4bit",
        "paged_ademamix_32bit, paged-ademamix",
        "galore_adamw_8bit, galore-adamw8bit",
        "lomo, lomo",
        "nadam, nadam"
    })
    void theTrainersNamesAreOptimizers(String name, String option) {
        assertEquals(option, ValueFormats.OPTIMIZER.read().apply(List.of(name)).option());
    }

    @ParameterizedTest
    @CsvSource({
        "adamw_torch, `foreach=true`",
        "adamw_torch_fused, `fused`",
        "adamw_torch_xla, XLA",
        "adamw_anyprecision, torchdistx",
        "galore_adamw_layerwise, `optimizer=galore-adamw` with `optim_layerwise`",
        "apollo_adamw_layerwise, `optimizer=apollo-adamw` with `optim_layerwise`"
    })
    void othersSayWhatToWrite(String name, String part) {
        String said = String.valueOf(
                assertThrows(BadValue.class, () -> ValueFormats.OPTIMIZER.read().apply(List.of(name)))
                        .getMessage());
        assertTrue(said.contains(part), said);
    }

    /** transformers 5.17, training_args.py, OptimizerNames. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "adafactor",
                "ademamix",
                "sgd",
                "adagrad",
                "adamw_8bit",
                "ademamix_8bit",
                "lion_8bit",
                "lion_32bit",
                "paged_adamw_32bit",
                "paged_ademamix_8bit",
                "paged_lion_32bit",
                "paged_lion_8bit",
                "rmsprop",
                "rmsprop_bnb",
                "rmsprop_bnb_8bit",
                "rmsprop_bnb_32bit",
                "galore_adamw",
                "galore_adafactor",
                "adalomo",
                "grokadamw",
                "schedule_free_radam",
                "schedule_free_adamw",
                "schedule_free_sgd",
                "apollo_adamw",
                "stable_adamw",
                "adamw_torch_8bit"
            })
    void everyOtherNameHasARule(String name) {
        assertTrue(ValueFormats.OPTIMIZER.read().apply(List.of(name)) != OptimizerKind.NONE);
    }

    @Test
    void adviceWritesTheTrainersName() {
        assertEquals("adamw_8bit", OptimNames.of("adamw8bit").orElseThrow());
        assertTrue(OptimNames.of("nadam").isEmpty());
    }

    @ParameterizedTest
    @CsvSource({"pissa, `lora=R`", "lora_ga, `lora=R`", "dora, `lora=R` and `dora`", "boft, not modelled", "vra, vera"})
    void methodsOfPeftWithoutARuleGetALine(String name, String part) {
        String said = String.valueOf(assertThrows(
                        BadValue.class, () -> AdapterSettings.METHODS.read().apply(List.of(name)))
                .getMessage());
        assertTrue(said.contains(part), said);
    }

    @Test
    void peftsOwnSpellingIsTaken() {
        assertEquals(
                List.of(AdapterMethod.PROMPT_TUNING, AdapterMethod.LN_TUNING),
                List.of(
                        AdapterSettings.METHODS.read().apply(List.of("PROMPT_TUNING")),
                        AdapterSettings.METHODS.read().apply(List.of("ln-tuning"))));
    }
}
