package dev.headroom.model.trainer;

import dev.headroom.model.graph.DType;
import dev.headroom.model.record.Withers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which training loop runs, and what the Trainer's does beside training.
 *
 * @param loop whose loop it is
 * @param transformers the version of the library whose loop and losses run
 * @param liger Liger's kernels stand in for a language model's own operators ({@code use_liger_kernel})
 * @param ligerKernels which of them ({@code liger_kernel_config})
 * @param evalBatch {@code per_device_eval_batch_size} of the evaluation that follows every step; {@code null} for no
 *     evaluation
 * @param evalBatches batches of an evaluation
 * @param evalAccumulation after how many batches of an evaluation what was gathered goes to the host; {@code null}:
 *     after the last one
 * @param evalMetrics {@code compute_metrics}: evaluation gathers scores and labels, else losses alone
 * @param ddpFindUnusedParameters {@code ddp_find_unused_parameters}; {@code null}: as the Trainer decides
 * @param ramEfficientLoading {@code cpu_ram_efficient_loading} of FSDP: the first rank alone loads, and sends
 */
@Withers
public record TrainerOptions(
        LoopKind loop,
        TransformersVersion transformers,
        boolean liger,
        List<LigerKernel> ligerKernels,
        @Nullable Long evalBatch,
        int evalBatches,
        @Nullable Integer evalAccumulation,
        boolean evalMetrics,
        @Nullable Boolean ddpFindUnusedParameters,
        boolean ramEfficientLoading)
        implements TrainerOptionsWithers.With {
    /** The script's own loop, the newest version, no evaluation. */
    public static final TrainerOptions DEFAULTS = new TrainerOptions(
            LoopKind.PLAIN, TransformersVersion.NEWEST, false, LigerKernel.USUAL, null, 2, null, false, null, true);

    /** Copies what it is given. */
    public TrainerOptions {
        ligerKernels = List.copyOf(ligerKernels);
    }

    /** Whether one of Liger's kernels stands in. */
    public boolean puts(LigerKernel kernel) {
        return liger && ligerKernels.contains(kernel);
    }

    /**
     * Whether trl's SFTTrainer puts its own head on the model: trl 1.16 does, which goes with transformers
     * 5.17; trl 0.13, which goes with 4.48, takes the model's loss.
     */
    public boolean fusesHead() {
        return loop == LoopKind.SFT && transformers.equals(TransformersVersion.NEWEST);
    }

    /**
     * Whether embeddings and heads of prepared 4-bit models are bfloat16 after all: older versions of trl's
     * SFTTrainer cast them back under bfloat16 autocast (trl 0.13, trainer/utils.py,
     * peft_module_casting_to_bf16).
     */
    public boolean lowersEmbeddings(@Nullable DType amp) {
        return loop == LoopKind.SFT && !fusesHead() && amp == DType.BFLOAT16;
    }
}
