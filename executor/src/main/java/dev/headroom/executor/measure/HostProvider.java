package dev.headroom.executor.measure;

import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.kernel.Backend;

/** {@code host}: plain Java. */
public final class HostProvider implements BackendProvider {
    @Override
    public String name() {
        return "host";
    }

    @Override
    public boolean computes() {
        return true;
    }

    @Override
    public Backend open(long total, long inUse) {
        return new HostBackend(total, inUse);
    }
}
