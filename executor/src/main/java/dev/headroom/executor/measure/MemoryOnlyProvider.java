package dev.headroom.executor.measure;

import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.allocator.address.Placement;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.kernel.NoKernels;

/** {@code none}: operators take and free memory, kernels do nothing. */
public final class MemoryOnlyProvider implements BackendProvider {
    @Override
    public String name() {
        return "none";
    }

    @Override
    public boolean computes() {
        return false;
    }

    @Override
    public Backend open(long total, long inUse) {
        return NoKernels.over(new SimulatedDeviceMemory(total, inUse, Placement.DRIVER));
    }
}
