package dev.headroom.executor.runtime;

import dev.headroom.model.device.Gpu;
import dev.headroom.model.scenario.Scenario;
import org.jspecify.annotations.Nullable;

/**
 * What operators look at beside their arguments.
 *
 * @param gpu whose properties decide which kernels run and with how much scratch; on the host backend a nominal one
 * @param attention which kernels of scaled dot product attention may run
 * @param seed of all randomness
 */
public record Settings(@Nullable Gpu gpu, Scenario.Attention attention, long seed) {
    /** What a scenario says, which has to name a card. */
    public static Settings of(Scenario scenario, long seed) {
        return new Settings(scenario.device().gpu(), scenario.kernels().attention(), seed);
    }
}
