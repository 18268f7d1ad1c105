package dev.headroom.advisor.strategies;

import static dev.headroom.model.scenario.ParallelSettings.CPU_OFFLOAD;
import static dev.headroom.model.scenario.ParallelSettings.PARAM_OFFLOAD;
import static dev.headroom.model.scenario.ParallelSettings.RESHARD_AFTER_FORWARD;

import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.function.UnaryOperator;

/** The strategies of transformers' Trainer, with the arguments that ask for them (training_args.py). */
final class TrainerStrategies {
    static final List<Strategy> ALL = List.of(
            new Strategy(
                    "ddp",
                    "every rank has the whole model; gradients lie in buckets beside the parameters' own",
                    StrategyTable.kind(ParallelKind.DDP),
                    List.of("TrainingArguments(...)  # as it is: under torchrun the Trainer wraps the model")),
            fsdp(
                    "fsdp2, not resharded",
                    "parameters, gradients and states are divided; gathered layers stay until the backward pass",
                    run -> StrategyTable.kind(ParallelKind.FSDP2).apply(run).with(RESHARD_AFTER_FORWARD, 0),
                    "\"version\": 2, \"reshard_after_forward\": False, \"cpu_ram_efficient_loading\": True"),
            fsdp(
                    "fsdp2",
                    "parameters, gradients and states are divided; a layer is whole only while it runs",
                    StrategyTable.kind(ParallelKind.FSDP2),
                    "\"version\": 2, \"cpu_ram_efficient_loading\": True"),
            fsdp(
                    "fsdp1",
                    "as fsdp2, by FullyShardedDataParallel",
                    StrategyTable.kind(ParallelKind.FSDP1),
                    "\"version\": 1, \"cpu_ram_efficient_loading\": True"),
            fsdp(
                    "fsdp1, offloaded",
                    "as fsdp1, and what is divided lives in host memory, where the optimizer steps",
                    run -> StrategyTable.kind(ParallelKind.FSDP1).apply(run).with(CPU_OFFLOAD, true),
                    "\"version\": 1, \"cpu_ram_efficient_loading\": True, \"cpu_offload\": True"),
            zero("zero1", StrategyTable.kind(ParallelKind.ZERO1), "optimizer states are divided", "\"stage\": 1"),
            zero(
                    "zero2",
                    StrategyTable.kind(ParallelKind.ZERO2),
                    "optimizer states and gradients are divided",
                    "\"stage\": 2"),
            zero(
                    "zero2, offloaded",
                    run -> StrategyTable.kind(ParallelKind.ZERO2).apply(run).with(CPU_OFFLOAD, true),
                    "as zero2, and the optimizer and its states are on the host",
                    "\"stage\": 2, \"offload_optimizer\": {\"device\": \"cpu\"}"),
            zero(
                    "zero3",
                    StrategyTable.kind(ParallelKind.ZERO3),
                    "parameters, gradients and states are divided",
                    "\"stage\": 3"),
            zero(
                    "zero3, offloaded",
                    run -> StrategyTable.kind(ParallelKind.ZERO3)
                            .apply(run)
                            .with(CPU_OFFLOAD, true)
                            .with(PARAM_OFFLOAD, true),
                    "as zero3, and what is divided lives in host memory, where the optimizer steps",
                    "\"stage\": 3, \"offload_optimizer\": {\"device\": \"cpu\"},"
                            + " \"offload_param\": {\"device\": \"cpu\"}"));

    private TrainerStrategies() {}

    private static Strategy fsdp(String name, String effect, UnaryOperator<Scenario> spread, String config) {
        return new Strategy(
                name, effect, spread, List.of("TrainingArguments(..., fsdp=True, fsdp_config={" + config + "})"));
    }

    private static Strategy zero(String name, UnaryOperator<Scenario> spread, String effect, String optimization) {
        return new Strategy(
                name,
                "DeepSpeed: " + effect,
                spread,
                List.of(
                        "TrainingArguments(..., deepspeed=\"zero.json\")  # made before the model",
                        "{\"zero_optimization\": {" + optimization + "}, \"bf16\": {\"enabled\": \"auto\"},"
                                + " \"gradient_clipping\": \"auto\","
                                + " \"train_micro_batch_size_per_gpu\": \"auto\","
                                + " \"gradient_accumulation_steps\": \"auto\"}  # zero.json"));
    }
}
