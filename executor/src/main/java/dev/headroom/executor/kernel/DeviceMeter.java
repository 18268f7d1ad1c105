package dev.headroom.executor.kernel;

import java.util.OptionalLong;

/** What a backend can tell of its device's memory beyond what the allocator holds; offered by real devices. */
public interface DeviceMeter {
    /**
     * The device's memory at one moment, in bytes; what cannot be told is empty.
     *
     * @param free as {@code cudaMemGetInfo} reports it
     * @param used by all processes, from the driver's management library
     * @param process in use by this process, from the driver's management library
     */
    record Reading(OptionalLong free, OptionalLong used, OptionalLong process) {}

    /** Before this process had a context on the device. */
    Reading beforeContext();

    /** When the context had been made, and nothing else. */
    Reading afterContext();

    /** Now. */
    Reading now();
}
