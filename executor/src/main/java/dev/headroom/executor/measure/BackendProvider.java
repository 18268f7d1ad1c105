package dev.headroom.executor.measure;

import dev.headroom.executor.kernel.Backend;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.error.UserInputException;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * A kind of backend, by name: a class with a public constructor, listed in
 * {@code META-INF/services/dev.headroom.executor.measure.BackendProvider}.
 */
public interface BackendProvider {
    /** As on the command line, such as {@code host}. */
    String name();

    /** Whether this machine has what it takes; never throws. */
    default boolean available() {
        return true;
    }

    /** Whether its kernels compute; without, memory is all that can be measured. */
    boolean computes();

    /** Whether it runs on a device that is really there, whose size nobody can choose. */
    default boolean isDevice() {
        return false;
    }

    /**
     * The card that it runs on, with what it reports of itself; empty for a nominal one, which may be any.
     *
     * @throws UserInputException when there is no device, in one line
     */
    default Optional<Gpu> card() {
        return Optional.empty();
    }

    /**
     * Makes a backend, to be closed by the caller.
     *
     * @param total bytes of a nominal device; a real one has what it has
     * @param inUse bytes of it that others have taken
     * @throws UserInputException when it cannot be, in one line
     */
    Backend open(long total, long inUse);

    /** Every provider. */
    static List<BackendProvider> all() {
        return ServiceLoader.load(BackendProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }
}
