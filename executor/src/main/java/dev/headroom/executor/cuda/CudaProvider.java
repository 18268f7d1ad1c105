package dev.headroom.executor.cuda;

import dev.headroom.executor.cuda.driver.CudaDevice;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.measure.BackendProvider;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.error.UserInputException;
import java.util.Optional;

/** {@code cuda}: this machine's first GPU. */
public final class CudaProvider implements BackendProvider {
    private static final int FIRST = 0;

    @Override
    public String name() {
        return "cuda";
    }

    @Override
    public boolean available() {
        try {
            return !CudaDevice.all().isEmpty();
        } catch (UserInputException | LinkageError e) {
            return false;
        }
    }

    @Override
    public boolean computes() {
        return true;
    }

    @Override
    public boolean isDevice() {
        return true;
    }

    @Override
    public Optional<Gpu> card() {
        return CudaDevice.all().stream().findFirst().map(CudaDevice::gpu);
    }

    @Override
    public Backend open(long total, long inUse) {
        return CudaBackend.open(FIRST);
    }
}
