package dev.headroom.executor.measure;

import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.kernel.NoKernels;
import dev.headroom.model.device.Gpu;
import java.util.Optional;

/** {@code none}: operators take and free memory, kernels do nothing. */
public final class MemoryOnlyProvider implements BackendProvider {
    @Override
    public String name() {
        return "none";
    }

    @Override
    public boolean available() {
        return true;
    }

    @Override
    public boolean computes() {
        return false;
    }

    @Override
    public boolean isDevice() {
        return false;
    }

    @Override
    public Optional<Gpu> card() {
        return Optional.empty();
    }

    @Override
    public Backend open(long total, long inUse) {
        return NoKernels.over(total, inUse);
    }
}
