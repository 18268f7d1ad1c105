package dev.headroom.executor.cudnn;

import dev.headroom.model.cudnn.CudnnDevice;
import java.util.Locale;

/**
 * A GPU's properties as cuDNN reads them in JSON. Its heuristics look at the architecture, on compute capability 7.5 at
 * the number of multiprocessors, and a little at the clocks on 9.0; the other keys are required, and hold what NVIDIA's
 * CUDA C++ Programming Guide says of the compute capability.
 */
final class DeviceProperties {
    private static final int KIBI = 1024;
    private static final long MEMORY = 24L << 30;
    private static final int CORE_KHZ = 1_800_000;
    /** Of an H100 and an H200: at 1.8 GHz one of 2,600 plans, of a volume, has another workspace. */
    private static final int HOPPER_CORE_KHZ = 1_980_000;

    /** Of an H200; on an H100 fewer than one answer in a hundred differs, by 1 MiB at most. */
    private static final int HOPPER_MEMORY_KHZ = 3_201_000;

    private static final int MEMORY_KHZ = 7_501_000;
    private static final int LEAST_L2 = 4 * KIBI * KIBI;

    private DeviceProperties() {}

    static String json(CudnnDevice gpu) {
        int capability = gpu.major() * 10 + gpu.minor();
        boolean dataCentre = gpu.minor() == 0 && gpu.major() < 12;
        int threads = capability == 75 ? 1024 : dataCentre ? 2048 : 1536;
        int blocks = dataCentre ? 32 : capability == 89 ? 24 : 16;
        int shared = capability < 80 ? 64 : capability == 80 ? 163 : dataCentre ? 227 : 99;
        return String.format(
                Locale.ROOT,
                "{\"maxGridSize\":[2147483647,65535,65535],\"maxBlockSize\":[1024,1024,64],\"regsPerBlock\":65536,"
                        + "\"multiProcessorCount\":%d,\"smCountOrigin\":0,\"warpSize\":32,"
                        + "\"maxSharedMemoryPerBlock\":49152,\"maxSharedMemoryPerBlockOptin\":%d,"
                        + "\"reservedSharedMemoryPerBlock\":%d,\"maxRegistersPerSM\":65536,\"maxCtasPerSM\":%d,"
                        + "\"maxThreadsPerBlock\":1024,\"maxThreadsPerSM\":%d,\"pciDeviceId\":0,\"isTccDriver\":0,"
                        + "\"supportCoopLaunch\":1,\"totalGlobalMem\":%d,\"smClockRateKHz\":%d,"
                        + "\"memClockRateKHz\":%d,\"l2CacheSize\":%d,\"deviceName\":\"sm_%d\",\"cudaDeviceId\":0,"
                        + "\"deviceVer\":%d,\"driverVer\":13000}",
                gpu.sms(),
                shared * KIBI,
                capability >= 80 ? KIBI : 0,
                blocks,
                threads,
                MEMORY,
                capability == 90 ? HOPPER_CORE_KHZ : CORE_KHZ,
                capability == 90 ? HOPPER_MEMORY_KHZ : MEMORY_KHZ,
                LEAST_L2,
                capability,
                capability * 10);
    }
}
