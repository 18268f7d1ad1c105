package dev.headroom.executor.runtime;

import dev.headroom.model.device.Gpu;
import dev.headroom.model.scenario.Scenario;

/**
 * What operators look at beside their arguments.
 *
 * @param gpu whose properties decide which kernels run and with how much scratch; on the host backend a nominal one
 * @param attention which kernels of scaled dot product attention may run
 * @param seed of all randomness
 * @param deterministic {@code torch.use_deterministic_algorithms(True)}
 * @param cudnnPlans whether plans of cuDNN ask for workspaces, as the library's do; over null libraries none does
 */
public record Settings(Gpu gpu, Scenario.Attention attention, long seed, boolean deterministic, boolean cudnnPlans) {
    /** With kernels that may add up in any order, and no workspace of cuDNN. */
    public Settings(Gpu gpu, Scenario.Attention attention, long seed) {
        this(gpu, attention, seed, false, false);
    }

    /** What a scenario says, which has to name a card. */
    public static Settings of(Scenario scenario, long seed) {
        return new Settings(
                scenario.device().givenGpu(),
                scenario.kernels().attention(),
                seed,
                scenario.kernels().deterministic(),
                scenario.kernels().cudnnWorkspace().isOfCudnn());
    }
}
