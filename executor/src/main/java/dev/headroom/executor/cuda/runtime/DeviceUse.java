package dev.headroom.executor.cuda.runtime;

import java.util.OptionalLong;

/**
 * A device's memory at one moment, in bytes.
 *
 * @param free what {@code cudaMemGetInfo} reports, or NVML before the process has a context; empty when neither
 *     can tell
 * @param used in use by all processes, from NVML; empty without NVML
 * @param process in use by this process, from NVML; empty when NVML does not list it
 */
public record DeviceUse(OptionalLong free, OptionalLong used, OptionalLong process) {}
