package dev.headroom.validation.benchmark;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.DoubleStream;

/**
 * Puts the allocator beside PyTorch's own: both do the same operations and count the processor time of their thread, so
 * that neither has to wait for a quiet machine. {@code validation/peers/allocator.py} runs both.
 */
public final class AllocatorRate {
    private static final long SLICE_NANOS = 100_000_000;

    private AllocatorRate() {}

    /**
     * Writes the operations of a recorded run, then prints millions of operations a second, the median of slices of a
     * tenth of a second and the best of them, and the most memory that was reserved.
     *
     * @param args the name of a recorded run below {@code recordings/allocator/traces}, the file to write, seconds
     */
    public static void main(String[] args) throws IOException {
        EventStream stream = EventStream.recorded(args[0]);
        stream.write(Path.of(args[1]));
        CachingAllocator allocator =
                new CachingAllocator(AllocatorSettings.parse(""), new SimulatedDeviceMemory(140L << 30));
        int slices = (int) Math.ceil(Double.parseDouble(args[2]) * 1e9 / SLICE_NANOS);
        double[] rates = DoubleStream.generate(() -> slice(stream, allocator))
                .limit(slices)
                .sorted()
                .toArray();
        System.out.printf(
                Locale.ROOT,
                "%.2f %.2f %d%n",
                rates[rates.length / 2],
                rates[rates.length - 1],
                allocator.statistics().reservedBytes().peak());
    }

    private static double slice(EventStream stream, CachingAllocator allocator) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begin = threads.getCurrentThreadCpuTime();
        long now;
        long operations = 0;
        do {
            stream.run(allocator, stream.length());
            operations += stream.length();
            now = threads.getCurrentThreadCpuTime();
        } while (now < begin + SLICE_NANOS);
        return operations * 1e3 / (now - begin);
    }
}
