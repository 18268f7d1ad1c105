package dev.headroom.advisor.plans;

import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.Scenario.Attention;
import dev.headroom.model.scenario.TorchVersion;
import java.util.ArrayList;
import java.util.List;

/** Changes that leave the arithmetic as it is: when tensors die, how the allocator works, which kernels run. */
final class FreeChanges {
    private static final String OPTIMIZER_KERNELS = "optimizer-kernels";
    private static final List<String> SETTINGS =
            List.of("expandable_segments:True", "max_split_size_mb:128", "max_split_size_mb:32");

    private final ModelFacts model;

    FreeChanges(ModelFacts model) {
        this.model = model;
    }

    /** Those that can be made to a run. */
    List<Change> of(Scenario run) {
        List<Change> out = new ArrayList<>();
        TorchVersion torch = TorchVersion.of(run.torch);
        if (!run.inference) {
            lifetimes(run, torch, out);
            optimizer(run, torch, out);
        }
        kernels(run, torch, out);
        if (torch.allocatorSettings()) {
            allocator(run, out);
        }
        return out;
    }

    private void lifetimes(Scenario run, TorchVersion torch, List<Change> out) {
        if (run.zeroGradKeep && torch.zeroGradSetsToNone()) {
            out.add(Change.free(
                    "zero-grad",
                    "drop gradients between steps",
                    List.of("optimizer.zero_grad(set_to_none=True)"),
                    List.of(),
                    r -> r.zeroGradKeep = false));
        }
        if (!run.dropOutputs) {
            out.add(Change.free(
                    "outputs",
                    "delete outputs and loss after backward",
                    List.of("del outputs, loss  # after loss.backward(), or compute both in a function"),
                    List.of(),
                    r -> r.dropOutputs = true));
        }
    }

    private void optimizer(Scenario run, TorchVersion torch, List<Change> out) {
        boolean has = run.optimizer != OptimizerKind.NONE;
        if (has && !run.fused && run.foreach != Scenario.Foreach.TRUE && torch.hasFused(run.optimizer)) {
            out.add(Change.free(
                    OPTIMIZER_KERNELS,
                    "fused optimizer kernels",
                    List.of("optimizer = " + OptimizerChanges.constructor(run.optimizer, "fused=True")),
                    List.of(),
                    r -> r.fused = true));
        }
        boolean lists = run.foreach == Scenario.Foreach.TRUE
                || run.foreach == Scenario.Foreach.AUTO && torch.foreachByDefault();
        if (has && !run.fused && lists && torch.foreachArgument() && !OptimizerChanges.coarse(run.optimizer)) {
            out.add(Change.free(
                    OPTIMIZER_KERNELS,
                    "optimizer without lists of tensors",
                    List.of("optimizer = " + OptimizerChanges.constructor(run.optimizer, "foreach=False")),
                    List.of("the optimizer launches a few kernels for every parameter, which is slower"),
                    r -> r.foreach = Scenario.Foreach.FALSE));
        }
    }

    private void kernels(Scenario run, TorchVersion torch, List<Change> out) {
        if (run.cudnnBenchmark) {
            out.add(Change.free(
                    "cudnn-benchmark",
                    "no trials of cuDNN's algorithms",
                    List.of("torch.backends.cudnn.benchmark = False"),
                    List.of("convolutions may be slower"),
                    r -> r.cudnnBenchmark = false));
        }
        if (model.images() && !run.channelsLast) {
            out.add(Change.free(
                    "memory-format",
                    "channels last",
                    List.of(
                            "model = model.to(memory_format=torch.channels_last)",
                            "inputs = inputs.to(memory_format=torch.channels_last)"),
                    List.of(),
                    r -> r.channelsLast = true));
        }
        if (model.attention() && run.attention == Attention.MATH) {
            out.add(Change.free(
                    "attention",
                    "PyTorch's own choice of attention kernels",
                    List.of("# call attention outside of sdpa_kernel(SDPBackend.MATH)"),
                    List.of(),
                    r -> r.attention = Attention.AUTO));
        }
        if (model.attention() && run.attention == Attention.AUTO && torch.since(2, 3)) {
            for (Attention kind : List.of(Attention.FLASH, Attention.EFFICIENT)) {
                String name = kind == Attention.FLASH ? "flash" : "memory-efficient";
                String backend = kind == Attention.FLASH ? "FLASH_ATTENTION" : "EFFICIENT_ATTENTION";
                out.add(Change.free(
                        "attention",
                        name + " attention",
                        List.of(
                                "with torch.nn.attention.sdpa_kernel([SDPBackend." + backend + ", SDPBackend.MATH]):",
                                "    loss = " + model.loss()),
                        List.of(),
                        r -> r.attention = kind));
            }
        }
    }

    private static void allocator(Scenario run, List<Change> out) {
        for (String setting : SETTINGS) {
            String name = setting.substring(0, setting.indexOf(':'));
            if (run.allocConf.contains("expandable_segments") || run.allocConf.contains(name)) {
                continue;
            }
            String all = run.allocConf.isBlank() ? setting : run.allocConf + "," + setting;
            out.add(Change.free(
                    "allocator",
                    "allocator setting " + setting,
                    List.of("PYTORCH_CUDA_ALLOC_CONF=" + all + " python train.py"),
                    List.of(),
                    r -> r.allocConf = all));
        }
    }
}
