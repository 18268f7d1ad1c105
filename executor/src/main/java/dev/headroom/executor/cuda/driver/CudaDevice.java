package dev.headroom.executor.cuda.driver;

import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.bytedeco.cuda.cudart.cudaDeviceProp;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.SizeTPointer;

/**
 * A card of this machine.
 *
 * @param index as CUDA counts
 * @param title as the driver names it
 * @param major compute capability
 * @param minor compute capability
 * @param sms streaming multiprocessors
 * @param total bytes that CUDA reports ({@code totalGlobalMem})
 * @param free bytes that {@code cudaMemGetInfo} reports, after it has made this process's context
 */
public record CudaDevice(int index, String title, int major, int minor, int sms, long total, long free) {
    /**
     * Every visible card.
     *
     * @throws CudaException when there is no driver, no runtime or no card
     */
    public static List<CudaDevice> all() {
        CudaLibraries.loadRuntime();
        int[] count = new int[1];
        CudaStatus.runtime("cudaGetDeviceCount", cudart.cudaGetDeviceCount(count));
        List<CudaDevice> devices = new ArrayList<>();
        for (int i = 0; i < count[0]; i++) {
            devices.add(read(i));
        }
        return devices;
    }

    /**
     * The card as predictions see it: the catalogue's name where it has one, and what this device reports of itself.
     */
    public Gpu gpu() {
        Optional<Gpu> known = catalogued();
        String name = known.map(Gpu::name).orElse(title.toLowerCase(Locale.ROOT).replace(' ', '-'));
        long l2 = known.map(Gpu::l2).orElse(Gpu.usualL2(major, minor, sms));
        return new Gpu(name, title, total, major, minor, sms, l2, "this machine");
    }

    /** The catalogue's entry of the same title; of several, the one nearest in memory. */
    public Optional<Gpu> catalogued() {
        return GpuCatalogue.all().stream()
                .filter(gpu -> gpu.title().equals(title))
                .min((a, b) -> Long.compare(Math.abs(a.memory() - total), Math.abs(b.memory() - total)));
    }

    /** Reads one card; it becomes the current device and gets a context when it has none. */
    public static CudaDevice read(int index) {
        try (cudaDeviceProp properties = new cudaDeviceProp();
                SizeTPointer free = new SizeTPointer(1);
                SizeTPointer total = new SizeTPointer(1)) {
            CudaStatus.runtime("cudaGetDeviceProperties", cudart.cudaGetDeviceProperties(properties, index));
            CudaStatus.runtime("cudaSetDevice", cudart.cudaSetDevice(index));
            CudaStatus.runtime("cudaMemGetInfo", cudart.cudaMemGetInfo(free, total));
            return new CudaDevice(
                    index,
                    properties.name().getString(),
                    properties.major(),
                    properties.minor(),
                    properties.multiProcessorCount(),
                    properties.totalGlobalMem(),
                    free.get());
        }
    }
}
