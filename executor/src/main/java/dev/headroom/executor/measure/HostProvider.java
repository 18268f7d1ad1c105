package dev.headroom.executor.measure;

import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.model.device.Gpu;
import java.util.Optional;

/** {@code host}: plain Java. */
public final class HostProvider implements BackendProvider {
    @Override
    public String name() {
        return "host";
    }

    @Override
    public boolean available() {
        return true;
    }

    @Override
    public boolean computes() {
        return true;
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
        return new HostBackend(total, inUse);
    }
}
