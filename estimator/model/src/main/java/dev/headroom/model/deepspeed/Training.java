package dev.headroom.model.deepspeed;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.OptimizerKind;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What the JSON says about training beside ZeRO; {@code null} for what it leaves open.
 *
 * @param type that the model is converted to
 * @param batch of one rank and pass
 * @param passes of a step
 * @param wholeBatch of all ranks and passes of a step
 * @param optimizer that DeepSpeed makes
 * @param fusedOptimizer whether that is one of DeepSpeed's own kernels, which work in place as PyTorch's fused ones do
 * @param checksOverflow whether steps in bfloat16 look for gradients that are no numbers; in float16 they always do
 * @param clips whether gradients are clipped
 */
public record Training(
        @Nullable DType type,
        @Nullable Long batch,
        @Nullable Long passes,
        @Nullable Long wholeBatch,
        @Nullable OptimizerKind optimizer,
        boolean fusedOptimizer,
        boolean checksOverflow,
        boolean clips) {
    private static final double MOMENTUM = 0;

    static Training read(ConfigSection whole) {
        ConfigSection bf16 = whole.section("bf16");
        ConfigSection fp16 = whole.section("fp16");
        ignore(whole, fp16, bf16);
        boolean half = fp16.flag("enabled", false);
        boolean bfloat = bf16.flag("enabled", false);
        if (half && bfloat) {
            throw new UserInputException("`ds_config`: fp16 and bf16 are both enabled; choose one");
        }
        ConfigSection optimizer = whole.section("optimizer");
        ConfigSection arguments = optimizer.section("params");
        arguments.ignore(
                "lr", "betas", "eps", "weight_decay", "bias_correction", "max_grad_norm", "initial_accumulator_value");
        optimizer.ignore("legacy_fusion");
        OptimizerKind kind =
                optimizer.text("type").map(name -> kind(name, arguments)).orElse(null);
        boolean own = !arguments.flag("torch_adam", false);
        return new Training(
                half ? DType.FLOAT16 : bfloat ? DType.BFLOAT16 : null,
                number(whole, "train_micro_batch_size_per_gpu"),
                number(whole, "gradient_accumulation_steps"),
                number(whole, "train_batch_size"),
                kind,
                own && (kind == OptimizerKind.ADAM || kind == OptimizerKind.ADAMW),
                bf16.flag("check_grad_overflow", false),
                whole.number("gradient_clipping").orElse(0.0) > 0);
    }

    private static void ignore(ConfigSection whole, ConfigSection fp16, ConfigSection bf16) {
        whole.ignore(
                "scheduler",
                "steps_per_print",
                "wall_clock_breakdown",
                "memory_breakdown",
                "dump_state",
                "tensorboard",
                "wandb",
                "comet",
                "csv_monitor",
                "monitor_config",
                "comms_logger",
                "flops_profiler",
                "checkpoint",
                "aio",
                "timers",
                "dataloader_drop_last",
                "zero_allow_untested_optimizer",
                "zero_force_ds_cpu_optimizer",
                "disable_allgather");
        whole.refuse(
                "amp",
                "torch_autocast",
                "communication_data_type",
                "seq_parallel_communication_data_type",
                "data_types",
                "prescale_gradients",
                "sparse_gradients",
                "compression_training",
                "data_efficiency",
                "curriculum_learning",
                "progressive_layer_drop",
                "eigenvalue",
                "sparse_attention",
                "autotuning",
                "elasticity",
                "hybrid_engine",
                "compile",
                "tensor_parallel",
                "pipeline",
                "activation_checkpointing");
        fp16.ignore(
                "loss_scale",
                "initial_scale_power",
                "loss_scale_window",
                "hysteresis",
                "consecutive_hysteresis",
                "min_loss_scale",
                "opt_level");
        fp16.refuse("auto_cast", "fp16_master_weights_and_grads");
        bf16.refuse("bf16_master_weights_and_grads", "bf16_optimizer_states");
        bf16.ignore("immediate_grad_update");
    }

    private static @Nullable Long number(ConfigSection whole, String name) {
        long n = whole.count(-1, name);
        if (n == 0) {
            throw new UserInputException("`ds_config`: " + name + " is 0; it takes 1 or more");
        }
        return n < 0 ? null : (Long) n;
    }

    /** Names are those of DeepSpeed's, in any case, and of {@code torch.optim} (runtime/engine.py). */
    private static OptimizerKind kind(String name, ConfigSection arguments) {
        boolean decoupled = arguments.flag("adam_w_mode", true);
        boolean momentum = arguments.number("momentum").orElse(MOMENTUM) > MOMENTUM;
        String key = name.toLowerCase(Locale.ROOT);
        return switch (key) {
            case "adam" -> decoupled ? OptimizerKind.ADAMW : OptimizerKind.ADAM;
            case "sgd" -> momentum ? OptimizerKind.SGD_MOMENTUM : OptimizerKind.SGD;
            default ->
                OptimizerKind.named(key)
                        .orElseThrow(() -> new UserInputException("`ds_config`: optimizer.type \"" + name
                                + "\" is not modelled; leave the section out and name one with `optimizer`"));
        };
    }
}
