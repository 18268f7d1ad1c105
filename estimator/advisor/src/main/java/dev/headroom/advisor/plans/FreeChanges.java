package dev.headroom.advisor.plans;

import static dev.headroom.model.scenario.ScenarioSettings.ALLOC_CONF;
import static dev.headroom.model.scenario.ScenarioSettings.ATTENTION;
import static dev.headroom.model.scenario.ScenarioSettings.CHANNELS_LAST;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_BENCHMARK;
import static dev.headroom.model.scenario.ScenarioSettings.DROP_OUTPUTS;
import static dev.headroom.model.scenario.ScenarioSettings.FOREACH;
import static dev.headroom.model.scenario.ScenarioSettings.FUSED;
import static dev.headroom.model.scenario.ScenarioSettings.ZERO_GRAD_KEEP;

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
        TorchVersion torch = run.torch();
        if (!run.loop().inference()) {
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
        if (run.loop().zeroGradKeep() && torch.zeroGradSetsToNone()) {
            out.add(Change.free(
                    "zero-grad",
                    "drop gradients between steps",
                    List.of("optimizer.zero_grad(set_to_none=True)"),
                    List.of(),
                    r -> r.with(ZERO_GRAD_KEEP, false)));
        }
        if (!run.loop().dropOutputs()) {
            out.add(Change.free(
                    "outputs",
                    "delete outputs and loss after backward",
                    List.of("del outputs, loss  # after loss.backward(), or compute both in a function"),
                    List.of(),
                    r -> r.with(DROP_OUTPUTS, true)));
        }
    }

    private void optimizer(Scenario run, TorchVersion torch, List<Change> out) {
        boolean has = run.optimizer().kind() != OptimizerKind.NONE;
        if (has
                && !run.optimizer().fused()
                && run.optimizer().foreach() != Scenario.Foreach.TRUE
                && run.optimizer().kind().fusesIn(torch)) {
            out.add(Change.free(
                    OPTIMIZER_KERNELS,
                    "fused optimizer kernels",
                    List.of("optimizer = "
                            + OptimizerChanges.constructor(run.optimizer().kind(), "fused=True")),
                    List.of(),
                    r -> r.with(FUSED, true)));
        }
        boolean lists = run.optimizer().foreach() == Scenario.Foreach.TRUE
                || run.optimizer().foreach() == Scenario.Foreach.AUTO && torch.foreachByDefault();
        if (has
                && !run.optimizer().fused()
                && lists
                && torch.foreachArgument()
                && !run.optimizer().kind().quantised()) {
            out.add(Change.free(
                    OPTIMIZER_KERNELS,
                    "optimizer without lists of tensors",
                    List.of("optimizer = "
                            + OptimizerChanges.constructor(run.optimizer().kind(), "foreach=False")),
                    List.of("the optimizer launches a few kernels for every parameter, which is slower"),
                    r -> r.with(FOREACH, Scenario.Foreach.FALSE)));
        }
    }

    private void kernels(Scenario run, TorchVersion torch, List<Change> out) {
        if (run.kernels().cudnnBenchmark()) {
            out.add(Change.free(
                    "cudnn-benchmark",
                    "no trials of cuDNN's algorithms",
                    List.of("torch.backends.cudnn.benchmark = False"),
                    List.of("convolutions may be slower"),
                    r -> r.with(CUDNN_BENCHMARK, false)));
        }
        if (model.images() && !run.kernels().channelsLast()) {
            out.add(Change.free(
                    "memory-format",
                    "channels last",
                    List.of(
                            "model = model.to(memory_format=torch.channels_last)",
                            "inputs = inputs.to(memory_format=torch.channels_last)"),
                    List.of(),
                    r -> r.with(CHANNELS_LAST, true)));
        }
        if (model.attention() && run.kernels().attention() == Attention.MATH) {
            out.add(Change.free(
                    "attention",
                    "PyTorch's own choice of attention kernels",
                    List.of("# call attention outside of sdpa_kernel(SDPBackend.MATH)"),
                    List.of(),
                    r -> r.with(ATTENTION, Attention.AUTO)));
        }
        if (model.attention() && run.kernels().attention() == Attention.AUTO && torch.since(2, 3)) {
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
                        r -> r.with(ATTENTION, kind)));
            }
        }
    }

    private static void allocator(Scenario run, List<Change> out) {
        for (String setting : SETTINGS) {
            String name = setting.substring(0, setting.indexOf(':'));
            if (run.allocConf().contains("expandable_segments")
                    || run.allocConf().contains(name)) {
                continue;
            }
            String all = run.allocConf().isBlank() ? setting : run.allocConf() + "," + setting;
            out.add(Change.free(
                    "allocator",
                    "allocator setting " + setting,
                    List.of("PYTORCH_CUDA_ALLOC_CONF=" + all + " python train.py"),
                    List.of(),
                    r -> r.with(ALLOC_CONF, all)));
        }
    }
}
