package dev.headroom.model.deepspeed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.OptimizerKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeepSpeedConfigTest {
    @Test
    void whatIsLeftOutIsTheLibrarysDefault() {
        ZeroSection zero = DeepSpeedConfig.parse("{}").zero();
        assertNull(zero.stage());
        assertEquals(500_000_000, zero.reduction().bucketElements());
        assertTrue(zero.reduction().contiguous() && zero.reduction().scatters());
        assertNull(zero.reduction().overlaps());
        assertEquals(50_000_000, zero.fetching().prefetch());
        assertEquals(100_000, zero.fetching().persistence());
        assertEquals(1_000_000_000, zero.subGroup());
    }

    @Test
    void theSectionMayStandAlone() {
        DeepSpeedConfig config = DeepSpeedConfig.parse("{\"reduce_bucket_size\": 5e7, \"overlap_comm\": true}");
        assertEquals(50_000_000, config.zero().reduction().bucketElements());
        assertEquals(Boolean.TRUE, config.zero().reduction().overlaps());
        assertEquals(List.of(), config.warnings());
    }

    @Test
    void keysOfStageThreeHaveTwoNames() {
        assertEquals(7, fetching("\"stage3_max_live_parameters\": 7").mostLive());
        assertEquals(7, fetching("\"max_live_parameters\": 7").mostLive());
        assertEquals(1, fetching("\"allgather_sequential\": true").prefetch());
    }

    private static ParameterFetching fetching(String entry) {
        return DeepSpeedConfig.parse("{" + entry + "}").zero().fetching();
    }

    @Test
    void wholeFilesSayHowToTrain() {
        DeepSpeedConfig config = DeepSpeedConfig.parse("""
                {"bf16": {"enabled": true}, "gradient_clipping": 1.0, "train_micro_batch_size_per_gpu": 4,
                 "optimizer": {"type": "Adam", "params": {"lr": 1e-4, "adam_w_mode": false}},
                 "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu", "pin_memory": true}}}
                """);
        assertEquals(2, config.zero().stage());
        assertTrue(config.zero().offload().optimizer());
        assertFalse(config.zero().offload().parameters());
        assertEquals(DType.BFLOAT16, config.training().type());
        assertEquals(OptimizerKind.ADAM, config.training().optimizer());
        assertTrue(config.training().fusedOptimizer() && config.training().clips());
        assertEquals(4, config.training().batch());
        assertEquals(List.of(), config.warnings());
    }

    @Test
    void whatCountsForNothingIsNamed() {
        List<String> warnings = DeepSpeedConfig.parse("""
                {"zero_optimization": {"zero_quantized_weights": true, "zero_quantized_gradients": false,
                 "stage3_prefetch_bucket_size": "auto", "bucket": 1}, "steps_per_print": 3, "fp16": {"enabled": "auto"}}
                """).warnings();
        assertEquals(3, warnings.size(), warnings::toString);
        assertTrue(warnings.get(0).contains("zero_optimization.bucket is not known"));
        assertTrue(warnings.get(1).contains("zero_quantized_weights is not modelled"));
        assertTrue(warnings.get(2).contains("stage3_prefetch_bucket_size is \"auto\""));
    }

    @Test
    void wrongValuesAreRefused() {
        for (String json : List.of(
                "{\"reduce_bucket_size\": -1}",
                "{\"reduce_bucket_size\": \"big\"}",
                "{\"overlap_comm\": 1}",
                "{\"stage\": 4}",
                "{\"offload_param\": {\"device\": \"nvme\"}}",
                "{\"zero_optimization\": []}",
                "{\"fp16\": {\"enabled\": true}, \"bf16\": {\"enabled\": true}}",
                "{\"optimizer\": {\"type\": \"OneBitAdam\"}}",
                "{\"train_batch_size\": 0}",
                "[",
                "[]")) {
            UserInputException e = assertThrows(UserInputException.class, () -> DeepSpeedConfig.parse(json), json);
            assertTrue(e.getMessage().startsWith("`ds_config`: "), e.getMessage());
        }
    }
}
