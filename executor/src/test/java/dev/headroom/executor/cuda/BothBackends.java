package dev.headroom.executor.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Runs the same kernels on the same values with the cuda backend and with the host backend, the reference. The device
 * is the machine's own with {@code -Dheadroom.test.cuda=real}, else the null libraries' emulation of one.
 */
public final class BothBackends implements AutoCloseable {
    /** Kernels to run; what they computed is read from the tensors. */
    @FunctionalInterface
    public interface Kernels {
        void run(Backend backend, Tensor... tensors);
    }

    private static final long HOST_BYTES = 1L << 30;

    private final CudaBackend cuda;
    private final HostBackend host = new HostBackend(HOST_BYTES);

    BothBackends() {
        if (!NullCuda.isReal()) {
            NullCuda.install().emulate();
        }
        cuda = CudaBackend.open(0);
    }

    public CudaBackend cuda() {
        return cuda;
    }

    HostBackend host() {
        return host;
    }

    public static Eager eager(Backend backend) {
        return new Eager(
                new CachingAllocator(AllocatorSettings.defaults(), backend.memory()),
                backend,
                new Settings(GpuCatalogue.find("h200").orElseThrow(), Scenario.Attention.AUTO, 1));
    }

    /**
     * Requires the same results of both, in every tensor.
     *
     * @param tolerance of the difference's Euclidean norm, relative to the values' norm
     */
    public void compare(double tolerance, List<Values> values, Kernels kernels) {
        List<double[]> expected = run(host, values, kernels);
        List<double[]> found = run(cuda, values, kernels);
        for (int i = 0; i < values.size(); i++) {
            double error = distance(found.get(i), expected.get(i));
            int tensor = i;
            assertTrue(
                    error <= tolerance,
                    () -> "tensor " + tensor + " (" + values.get(tensor).type() + "): relative error " + error + ": "
                            + excerpt(found.get(tensor)) + ", expected " + excerpt(expected.get(tensor)));
        }
    }

    private static String excerpt(double... values) {
        return Arrays.toString(Arrays.copyOf(values, Math.min(8, values.length)));
    }

    private static List<double[]> run(Backend backend, List<Values> values, Kernels kernels) {
        Eager e = eager(backend);
        List<double[]> out = new ArrayList<>();
        try (Scope s = e.open()) {
            Tensor[] tensors = values.stream().map(v -> v.on(e)).toArray(Tensor[]::new);
            kernels.run(backend, tensors);
            for (Tensor t : tensors) {
                out.add(t == null ? new double[0] : backend.read(t));
            }
        }
        return out;
    }

    /** The difference's norm over the values' norm; infinities and numbers that are none must be in the same places. */
    static double distance(double[] found, double... expected) {
        assertEquals(expected.length, found.length);
        double difference = 0;
        double size = 0;
        for (int i = 0; i < found.length; i++) {
            if (Double.compare(found[i], expected[i]) == 0 || found[i] == expected[i]) {
                size += Double.isFinite(found[i]) ? found[i] * found[i] : 0;
            } else if (!Double.isFinite(found[i]) || !Double.isFinite(expected[i])) {
                return Double.POSITIVE_INFINITY;
            } else {
                difference += (found[i] - expected[i]) * (found[i] - expected[i]);
                size += expected[i] * expected[i];
            }
        }
        return difference == 0 ? 0 : Math.sqrt(difference / Math.max(size, Double.MIN_NORMAL));
    }

    /**
     * A tensor and its values, the same on each backend.
     *
     * @param strides in elements; gaps and overlaps are possible
     */
    public record Values(DType type, long[] sizes, long[] strides, double[] values, boolean onDevice) {
        /** Row-major, random: floating-point numbers in [-1, 1), integers below 10, true and false. */
        public static Values of(DType type, long... sizes) {
            return strided(type, sizes, Layout.contiguous(sizes));
        }

        public static Values channelsLast(DType type, long... sizes) {
            return strided(type, sizes, Layout.channelsLast(sizes));
        }

        public static Values strided(DType type, long[] sizes, long[] strides) {
            return of(type, sizes, strides, -1, 1);
        }

        /** Floating-point numbers of a range. */
        public static Values between(double from, double to, DType type, long... sizes) {
            return of(type, sizes, Layout.contiguous(sizes), from, to);
        }

        /** Integers below a bound. */
        public static Values below(int bound, DType type, long... sizes) {
            Random random = new Random(Arrays.hashCode(sizes) + 7L * bound);
            double[] values = random.ints(Layout.elements(sizes), 0, bound)
                    .asDoubleStream()
                    .toArray();
            return new Values(type, sizes, Layout.contiguous(sizes), values, true);
        }

        public static Values number(DType type, double value) {
            return new Values(type, new long[0], new long[0], new double[] {value}, false);
        }

        /** No tensor at all. */
        public static Values none() {
            return new Values(null, new long[0], new long[0], new double[0], true);
        }

        private static Values of(DType type, long[] sizes, long[] strides, double from, double to) {
            long seed = 31L * Arrays.hashCode(sizes) + Arrays.hashCode(strides) + type.ordinal();
            Random random = new Random(seed + Double.hashCode(to));
            double[] values = new double[(int) Layout.elements(sizes)];
            for (int i = 0; i < values.length; i++) {
                double unit = random.nextDouble();
                values[i] = type.isFloatingPoint()
                        ? from + (to - from) * unit
                        : Math.floor(unit * (type == DType.BOOL ? 2 : 10));
            }
            return new Values(type, sizes, strides, values, true);
        }

        private Tensor on(Eager e) {
            if (type == null || !onDevice) {
                return type == null ? null : Tensor.number(type, values[0]);
            }
            long last = 0;
            for (int d = 0; d < sizes.length; d++) {
                last += Math.max(0, sizes[d] - 1) * strides[d];
            }
            Tensor memory = e.empty(type, values.length == 0 ? 0 : last + 1);
            e.backend().random().uniform(memory, 0, 0, 0);
            Tensor t = e.alias(memory, sizes, strides, 0);
            if (Layout.isDense(sizes, strides) || Arrays.stream(strides).noneMatch(s -> s == 0)) {
                e.backend().write(t, values);
            } else {
                e.backend().random().uniform(memory, -1, 1, 5);
            }
            return t;
        }
    }

    @Override
    public void close() {
        cuda.close();
        host.close();
    }
}
