package dev.headroom.advisor.strategies;

import static dev.headroom.model.scenario.ParallelSettings.BUILD;
import static dev.headroom.model.scenario.ParallelSettings.CPU_OFFLOAD;
import static dev.headroom.model.scenario.ParallelSettings.GRADIENT_AS_BUCKET_VIEW;
import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.PARAM_OFFLOAD;
import static dev.headroom.model.scenario.ParallelSettings.RESHARD_AFTER_FORWARD;
import static dev.headroom.model.scenario.ParallelSettings.ZERO_OPTIMIZER;

import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.scenario.FeedSettings;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** The strategies that advice tries, all of which train on the batch of every rank and keep the arithmetic. */
final class StrategyTable {
    private static final List<String> FSDP = List.of(
            "from torch.distributed.fsdp import fully_shard",
            "for block in blocks: fully_shard(block)  # the repeated blocks of the model",
            "fully_shard(model)  # then make the optimizer");

    private static final String INIT =
            "with deepspeed.zero.Init(config_dict_or_path=config): model = ...  # transformers does so itself";

    private static final List<Strategy> ALL = List.of(
            new Strategy(
                    "ddp",
                    "every rank has the whole model; gradients lie in buckets beside the parameters' own",
                    kind(ParallelKind.DDP),
                    List.of("model = DistributedDataParallel(model, device_ids=[local_rank])")),
            new Strategy(
                    "ddp, bucket views",
                    "every rank has the whole model; gradients are views of the buckets",
                    run -> kind(ParallelKind.DDP).apply(run).with(GRADIENT_AS_BUCKET_VIEW, true),
                    List.of("model = DistributedDataParallel(model, device_ids=[local_rank],"
                            + " gradient_as_bucket_view=True)")),
            new Strategy(
                    "ddp, ZeroRedundancyOptimizer",
                    "every rank has the whole model and steps a part of it; gradients are views of the buckets",
                    run -> kind(ParallelKind.DDP)
                            .apply(run)
                            .with(GRADIENT_AS_BUCKET_VIEW, true)
                            .with(ZERO_OPTIMIZER, true),
                    List.of(
                            "model = DistributedDataParallel(model, device_ids=[local_rank],"
                                    + " gradient_as_bucket_view=True)",
                            "optimizer = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=..., lr=...)")),
            new Strategy(
                    "fsdp2, not resharded",
                    "parameters, gradients and states are divided; gathered blocks stay until the backward pass",
                    run -> kind(ParallelKind.FSDP2).apply(run).with(RESHARD_AFTER_FORWARD, 0),
                    List.of(
                            FSDP.get(0),
                            "for block in blocks: fully_shard(block, reshard_after_forward=False)",
                            "fully_shard(model, reshard_after_forward=False)  # then make the optimizer")),
            new Strategy(
                    "fsdp2",
                    "parameters, gradients and states are divided; a block is whole only while it runs",
                    kind(ParallelKind.FSDP2),
                    FSDP),
            new Strategy(
                    "fsdp2, offloaded",
                    "as fsdp2, and what is divided lives in host memory, where the optimizer steps",
                    run -> kind(ParallelKind.FSDP2).apply(run).with(CPU_OFFLOAD, true),
                    List.of(
                            "from torch.distributed.fsdp import CPUOffloadPolicy, fully_shard",
                            "for block in blocks: fully_shard(block, offload_policy=CPUOffloadPolicy())",
                            "fully_shard(model, offload_policy=CPUOffloadPolicy())  # then make the optimizer")),
            zero("zero1", kind(ParallelKind.ZERO1), "optimizer states are divided", "\"stage\": 1"),
            zero("zero2", kind(ParallelKind.ZERO2), "optimizer states and gradients are divided", "\"stage\": 2"),
            zero(
                    "zero2, offloaded",
                    run -> kind(ParallelKind.ZERO2).apply(run).with(CPU_OFFLOAD, true),
                    "as zero2, and the optimizer and its states are on the host",
                    "\"stage\": 2, \"offload_optimizer\": {\"device\": \"cpu\"}"),
            zero(
                    "zero3",
                    run -> kind(ParallelKind.ZERO3).apply(run).with(BUILD, Parallelism.Build.ZERO_INIT),
                    "parameters, gradients and states are divided",
                    "\"stage\": 3",
                    INIT),
            zero(
                    "zero3, offloaded",
                    run -> kind(ParallelKind.ZERO3)
                            .apply(run)
                            .with(BUILD, Parallelism.Build.ZERO_INIT)
                            .with(CPU_OFFLOAD, true)
                            .with(PARAM_OFFLOAD, true),
                    "as zero3, and what is divided lives in host memory, where the optimizer steps",
                    "\"stage\": 3, \"offload_optimizer\": {\"device\": \"cpu\"},"
                            + " \"offload_param\": {\"device\": \"cpu\"}",
                    INIT));

    private StrategyTable() {}

    /** Those of a script's own loop, or of the Trainer's. */
    static List<Strategy> of(Scenario run) {
        return run.trainer().loop().isTrainer() ? TrainerStrategies.ALL : ALL;
    }

    /** Where batches come from is asked of one GPU alone. */
    static UnaryOperator<Scenario> kind(ParallelKind kind) {
        return run -> FeedSettings.DATA.leftOut(run.with(PARALLEL, kind));
    }

    private static Strategy zero(
            String name, UnaryOperator<Scenario> spread, String effect, String optimization, String... before) {
        List<String> code = new ArrayList<>(List.of(before));
        code.add("{\"zero_optimization\": {" + optimization + "}}  # DeepSpeed's JSON");
        return new Strategy(name, "DeepSpeed: " + effect, spread, code);
    }
}
