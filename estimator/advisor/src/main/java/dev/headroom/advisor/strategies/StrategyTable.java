package dev.headroom.advisor.strategies;

import static dev.headroom.model.scenario.ParallelSettings.CPU_OFFLOAD;
import static dev.headroom.model.scenario.ParallelSettings.GRADIENT_AS_BUCKET_VIEW;
import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.RESHARD_AFTER_FORWARD;
import static dev.headroom.model.scenario.ParallelSettings.ZERO_OPTIMIZER;

import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.function.UnaryOperator;

/** The strategies that advice tries, all of which train on the batch of every rank and keep the arithmetic. */
final class StrategyTable {
    private static final List<String> FSDP = List.of(
            "from torch.distributed.fsdp import fully_shard",
            "for block in blocks: fully_shard(block)  # the repeated blocks of the model",
            "fully_shard(model)  # then make the optimizer");

    static final List<Strategy> ALL = List.of(
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
            zero("zero1", ParallelKind.ZERO1, 1, "optimizer states are divided"),
            zero("zero2", ParallelKind.ZERO2, 2, "optimizer states and gradients are divided"),
            zero("zero3", ParallelKind.ZERO3, 3, "parameters, gradients and states are divided"));

    private StrategyTable() {}

    private static UnaryOperator<Scenario> kind(ParallelKind kind) {
        return run -> run.with(PARALLEL, kind);
    }

    private static Strategy zero(String name, ParallelKind kind, int stage, String effect) {
        return new Strategy(
                name,
                "DeepSpeed: " + effect,
                kind(kind),
                List.of("{\"zero_optimization\": {\"stage\": " + stage + "}}  # DeepSpeed's JSON"));
    }
}
