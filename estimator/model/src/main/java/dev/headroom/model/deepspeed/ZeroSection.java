package dev.headroom.model.deepspeed;

import dev.headroom.model.error.UserInputException;
import org.jspecify.annotations.Nullable;

/**
 * The section {@code zero_optimization}.
 *
 * @param stage of ZeRO, or {@code null} where the file names none
 * @param reduction of gradients
 * @param fetching of parameters, of stage 3
 * @param offload to the host
 * @param subGroup most elements that stage 3 steps at once
 */
public record ZeroSection(
        @Nullable Integer stage,
        GradientReduction reduction,
        ParameterFetching fetching,
        Offload offload,
        long subGroup) {
    private static final long SUB_GROUP = 1_000_000_000;
    private static final int STAGES = 3;

    static ZeroSection read(ConfigSection zero) {
        long stage = zero.count(-1, "stage");
        if (stage > STAGES) {
            throw new UserInputException(
                    "`ds_config`: zero_optimization.stage is " + stage + "; the stages of ZeRO are 0 to 3");
        }
        zero.refuse(
                "zero_quantized_weights",
                "zero_quantized_nontrainable_weights",
                "zero_quantized_gradients",
                "zeropp_loco_param",
                "mics_hierarchical_params_gather",
                "zenflow",
                "legacy_stage1",
                "save_muon_momentum_buffer_in_memory",
                "leaf_module");
        if (zero.count(1, "zero_hpz_partition_size") > 1) {
            zero.refuse("zero_hpz_partition_size");
        }
        if (zero.number("mics_shard_size").orElse(-1.0) > 0) {
            zero.refuse("mics_shard_size");
        }
        zero.ignore(
                "allgather_partitions",
                "allgather_bucket_size", // PyTorch gathers a flat group in one go
                "load_from_fp32_weights",
                "elastic_checkpoint",
                "ignore_unused_parameters",
                "gather_16bit_weights_on_model_save",
                "stage3_gather_16bit_weights_on_model_save",
                "stage3_gather_fp16_weights_on_model_save",
                "pipeline_loading_checkpoint",
                "override_module_apply",
                "memory_efficient_linear", // of modules that zero.Init makes
                "log_trace_cache_warnings",
                "enable_sanity_checks");
        return new ZeroSection(
                stage < 0 ? null : (int) stage,
                GradientReduction.read(zero),
                ParameterFetching.read(zero),
                Offload.read(zero),
                zero.count(SUB_GROUP, "sub_group_size"));
    }
}
