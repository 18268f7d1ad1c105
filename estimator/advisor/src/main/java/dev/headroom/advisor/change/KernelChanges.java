package dev.headroom.advisor.change;

import static dev.headroom.model.scenario.ScenarioSettings.ATTENTION;
import static dev.headroom.model.scenario.ScenarioSettings.CHANNELS_LAST;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_BENCHMARK;

import dev.headroom.model.scenario.Scenario.Attention;
import java.util.List;

/** Other kernels of the model's operators. */
final class KernelChanges {
    static final List<CatalogueEntry> ENTRIES = List.of(
            CatalogueEntry.of(s -> Change.free(
                                    "cudnn-benchmark",
                                    "no trials of cuDNN's algorithms",
                                    r -> r.with(CUDNN_BENCHMARK, false))
                            .withCode("torch.backends.cudnn.benchmark = False")
                            .withEffect("convolutions may be slower"))
                    .when(s -> s.run().kernels().cudnnBenchmark()),
            CatalogueEntry.of(s -> Change.free("memory-format", "channels last", r -> r.with(CHANNELS_LAST, true))
                            .withCode(
                                    "model = model.to(memory_format=torch.channels_last)",
                                    "inputs = inputs.to(memory_format=torch.channels_last)"))
                    .when(s -> s.model().images() && !s.run().kernels().channelsLast()),
            CatalogueEntry.of(s -> Change.free(
                                    "attention",
                                    "PyTorch's own choice of attention kernels",
                                    r -> r.with(ATTENTION, Attention.AUTO))
                            .withCode("# call attention outside of sdpa_kernel(SDPBackend.MATH)"))
                    .when(s -> s.model().attention() && s.run().kernels().attention() == Attention.MATH),
            attention(Attention.FLASH, "flash attention", "FLASH_ATTENTION"),
            attention(Attention.EFFICIENT, "memory-efficient attention", "EFFICIENT_ATTENTION"));

    private KernelChanges() {}

    /** A kernel of scaled dot product attention; {@code sdpa_kernel} takes lists since 2.3 (torch/nn/attention). */
    private static CatalogueEntry attention(Attention kernel, String title, String backend) {
        return CatalogueEntry.of(s -> Change.free("attention", title, r -> r.with(ATTENTION, kernel))
                        .withCode(
                                "with torch.nn.attention.sdpa_kernel([SDPBackend." + backend + ", SDPBackend.MATH]):",
                                "    loss = " + s.model().loss()))
                .when(s -> s.model().attention()
                        && s.run().kernels().attention() == Attention.AUTO
                        && s.torch().since(2, 3));
    }
}
