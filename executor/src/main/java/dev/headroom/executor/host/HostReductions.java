package dev.headroom.executor.host;

import dev.headroom.executor.kernel.ReductionKernels;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

final class HostReductions implements ReductionKernels {
    private final HostArrays arrays;

    HostReductions(HostArrays arrays) {
        this.arrays = arrays;
    }

    @Override
    public void reduce(Kind kind, Tensor result, Tensor operand) {
        double[] in = arrays.read(operand);
        double[] out = new double[Math.toIntExact(result.elements())];
        Arrays.fill(
                out,
                switch (kind) {
                    case SUM, MEAN, ANY, NORM, SUM_OF_NUMBERS -> 0;
                    case MAX -> Double.NEGATIVE_INFINITY;
                    case MIN -> Double.POSITIVE_INFINITY;
                    case ALL, PRODUCT -> 1;
                });
        int[] goal = goals(operand.sizes(), result.sizes());
        for (int i = 0; i < in.length; i++) {
            out[goal[i]] = step(kind, out[goal[i]], in[i]);
        }
        if (kind == Kind.MEAN) {
            double share = (double) out.length / in.length;
            for (int i = 0; i < out.length; i++) {
                out[i] *= share;
            }
        }
        if (kind == Kind.NORM) {
            Arrays.setAll(out, i -> Math.sqrt(out[i]));
        }
        arrays.write(result, out);
    }

    @Override
    public void norm(double order, Tensor result, Tensor operand) {
        double[] in = arrays.read(operand);
        double[] out = new double[Math.toIntExact(result.elements())];
        int[] goal = goals(operand.sizes(), result.sizes());
        Arrays.fill(out, order < 0 && Double.isInfinite(order) ? Double.POSITIVE_INFINITY : 0);
        for (int i = 0; i < in.length; i++) {
            double value = Math.abs(in[i]);
            double before = out[goal[i]];
            out[goal[i]] = order == 0
                    ? before + (value == 0 ? 0 : 1)
                    : !Double.isInfinite(order)
                            ? before + Math.pow(value, order)
                            : order > 0 ? Math.max(before, value) : Math.min(before, value);
        }
        if (order != 0 && !Double.isInfinite(order)) {
            Arrays.setAll(out, i -> Math.pow(out[i], 1 / order));
        }
        arrays.write(result, out);
    }

    @Override
    public void extremes(Kind kind, @Nullable Tensor values, Tensor places, Tensor operand, int dim) {
        double[] in = arrays.read(operand);
        int n = operand.dims() == 0 ? 1 : (int) operand.sizes()[dim];
        int inner = 1;
        for (int d = dim + 1; d < operand.dims(); d++) {
            inner *= (int) operand.sizes()[d];
        }
        double[] best = new double[in.length / n];
        double[] where = new double[best.length];
        for (int i = 0; i < best.length; i++) {
            int first = i / inner * inner * n + i % inner;
            for (int k = 0; k < n; k++) {
                double value = in[first + k * inner];
                boolean better = kind == Kind.MAX ? value > best[i] : value < best[i];
                if (k == 0 || better) {
                    best[i] = value;
                    where[i] = k;
                }
            }
        }
        if (values != null) {
            arrays.write(values, best);
        }
        arrays.write(places, where);
    }

    @Override
    public void choose(Choice choice, long rank, Tensor values, Tensor places, Tensor operand, int dim) {
        double[] in = arrays.read(operand);
        int n = operand.dims() == 0 ? 1 : (int) operand.sizes()[dim];
        int inner = 1;
        for (int d = dim + 1; d < operand.dims(); d++) {
            inner *= (int) operand.sizes()[d];
        }
        double[] chosen = new double[in.length / n];
        double[] where = new double[chosen.length];
        double[] line = new double[n];
        for (int i = 0; i < chosen.length; i++) {
            int first = i / inner * inner * n + i % inner;
            for (int k = 0; k < n; k++) {
                line[k] = in[first + k * inner];
            }
            int at = HostChoice.of(choice, (int) rank, line);
            chosen[i] = line[at];
            where[i] = at;
        }
        arrays.write(values, chosen);
        arrays.write(places, where);
    }

    @Override
    public void moments(Tensor variance, @Nullable Tensor mean, Tensor operand, double correction) {
        double[] in = arrays.read(operand);
        double[] means = new double[Math.toIntExact(variance.elements())];
        double[] squares = new double[means.length];
        int[] goal = goals(operand.sizes(), variance.sizes());
        double n = (double) in.length / means.length;
        for (int i = 0; i < in.length; i++) {
            means[goal[i]] += in[i] / n;
        }
        for (int i = 0; i < in.length; i++) {
            double d = in[i] - means[goal[i]];
            squares[goal[i]] += d * d / Math.max(0, n - correction);
        }
        arrays.write(variance, squares);
        if (mean != null) {
            arrays.write(mean, means);
        }
    }

    private static double step(Kind kind, double before, double value) {
        return switch (kind) {
            case SUM, MEAN -> before + value;
            case NORM -> before + value * value;
            case SUM_OF_NUMBERS -> Double.isNaN(value) ? before : before + value;
            case PRODUCT -> before * value;
            case MAX -> Math.max(before, value);
            case MIN -> Math.min(before, value);
            case ANY -> before != 0 || value != 0 ? 1 : 0;
            case ALL -> before != 0 && value != 0 ? 1 : 0;
        };
    }

    /** By element of the operand: the element of the result that it goes to. */
    private static int[] goals(long[] from, long[] to) {
        long[] steps = Layout.contiguous(to);
        int[] out = new int[Math.toIntExact(Layout.elements(from))];
        long[] at = new long[from.length];
        for (int i = 0; i < out.length; i++) {
            int goal = 0;
            for (int d = 0; d < from.length; d++) {
                goal += to[d] == 1 ? 0 : (int) (at[d] * steps[d]);
            }
            out[i] = goal;
            for (int d = from.length - 1; d >= 0 && ++at[d] == from[d]; d--) {
                at[d] = 0;
            }
        }
        return out;
    }

    @Override
    public void sort(Tensor values, Tensor places, Tensor operand, int dim, boolean descending) {
        double[] in = arrays.read(operand);
        long[] sizes = operand.sizes();
        int n = sizes.length == 0 ? 1 : (int) sizes[dim];
        int wanted = sizes.length == 0 ? 1 : (int) values.size(dim);
        int inner = 1;
        for (int d = dim + 1; d < sizes.length; d++) {
            inner *= (int) sizes[d];
        }
        double[] best = new double[Math.toIntExact(values.elements())];
        double[] where = new double[best.length];
        for (int line = 0; line < in.length / Math.max(1, n); line++) {
            int first = line / inner * n * inner + line % inner;
            int step = inner;
            Comparator<Integer> order = Comparator.comparingDouble(i -> in[first + i * step]);
            int[] sorted = IntStream.range(0, n)
                    .boxed()
                    .sorted(descending ? order.reversed() : order)
                    .mapToInt(i -> i)
                    .toArray();
            int to = line / inner * wanted * inner + line % inner;
            for (int i = 0; i < wanted; i++) {
                best[to + i * inner] = in[first + sorted[i] * inner];
                where[to + i * inner] = sorted[i];
            }
        }
        arrays.write(values, best);
        arrays.write(places, where);
    }

    @Override
    public void scan(Scan scan, Tensor result, @Nullable Tensor places, Tensor operand, int dim) {
        double[] values = arrays.read(operand);
        double[] where = new double[values.length];
        long[] sizes = operand.sizes();
        int n = sizes.length == 0 ? 1 : (int) sizes[dim];
        int inner = 1;
        for (int d = dim + 1; d < sizes.length; d++) {
            inner *= (int) sizes[d];
        }
        for (int i = 0; i < values.length; i++) {
            int at = i / inner % n;
            boolean begins = at == 0;
            boolean wins = begins
                    || (scan == Scan.MAX && values[i] >= values[i - inner])
                    || (scan == Scan.MIN && values[i] <= values[i - inner]);
            where[i] = wins ? at : where[i - inner];
            values[i] = begins ? values[i] : step(scan, values[i - inner], values[i]);
        }
        arrays.write(result, values);
        if (places != null) {
            arrays.write(places, where);
        }
    }

    private static double step(Scan scan, double before, double value) {
        return switch (scan) {
            case SUM -> before + value;
            case PRODUCT -> before * value;
            case LOG_SUM_EXP -> {
                double most = Math.max(before, value);
                yield Double.isInfinite(most) ? most : most + Math.log1p(Math.exp(Math.min(before, value) - most));
            }
            case MAX -> Math.max(before, value);
            case MIN -> Math.min(before, value);
        };
    }

    @Override
    public void histogram(Tensor counts, Tensor operand, Tensor @Nullable [] bounds, double least, double most) {
        double from = bounds == null ? least : arrays.read(bounds[0])[0];
        double to = bounds == null ? most : arrays.read(bounds[1])[0];
        if (from == to) {
            from -= 1;
            to += 1;
        }
        double[] out = new double[Math.toIntExact(counts.elements())];
        for (double value : arrays.read(operand)) {
            if (value >= from && value <= to) {
                out[Math.min((int) ((value - from) * out.length / (to - from)), out.length - 1)]++;
            }
        }
        arrays.write(counts, out);
    }
}
