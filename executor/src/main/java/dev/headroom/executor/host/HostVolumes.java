package dev.headroom.executor.host;

import dev.headroom.executor.kernel.VolumeKernels;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Maps of volumes, dimension by dimension: what goes where is told once, and values or gradients follow it. */
final class HostVolumes implements VolumeKernels {
    private static final int DIMS = 3;
    private static final Axis SAME = Axis.resampled(Kind.NEAREST, 1, false);

    private final HostArrays arrays;

    HostVolumes(HostArrays arrays) {
        this.arrays = arrays;
    }

    private interface Step {
        /** From an element to another, both in row-major order, the first one's place in its volume. */
        void take(int from, int to, int place, double weight);
    }

    /** The last dimensions as three. */
    private static int[] volume(Tensor t, int dims) {
        int[] out = {1, 1, 1};
        for (int d = 1; d <= dims; d++) {
            out[DIMS - d] = (int) t.size(-d);
        }
        return out;
    }

    private static int count(int[] volume) {
        return volume[0] * volume[1] * volume[2];
    }

    private static void walk(Tensor x, Tensor y, Axis[] given, Step step) {
        int[] from = volume(x, given.length);
        int[] to = volume(y, given.length);
        HostTaps[][] taps = new HostTaps[DIMS][];
        for (int d = 0; d < DIMS; d++) {
            int at = d - (DIMS - given.length);
            taps[d] = new HostTaps[to[d]];
            for (int i = 0; i < to[d]; i++) {
                taps[d][i] = HostTaps.along(at < 0 ? SAME : given[at], i, from[d], to[d]);
            }
        }
        int size = count(to);
        for (int i = 0; i < y.elements(); i++) {
            int first = i / size * count(from);
            int at = i;
            HostTaps[] line = {
                taps[0][i % size / (to[1] * to[2])], taps[1][i % (to[1] * to[2]) / to[2]], taps[2][i % to[2]]
            };
            each(line, from, (place, weight) -> step.take(first + place, at, place, weight));
        }
    }

    private interface Visitor {
        void visit(int place, double weight);
    }

    private static void each(HostTaps[] taps, int[] from, Visitor visitor) {
        for (int a = 0; a < taps[0].places().length; a++) {
            for (int b = 0; b < taps[1].places().length; b++) {
                for (int c = 0; c < taps[2].places().length; c++) {
                    int p = taps[0].places()[a];
                    int q = taps[1].places()[b];
                    int r = taps[2].places()[c];
                    double weight = taps[0].weights()[a] * taps[1].weights()[b] * taps[2].weights()[c];
                    visitor.visit(p < 0 || q < 0 || r < 0 ? -1 : (p * from[1] + q) * from[2] + r, weight);
                }
            }
        }
    }

    @Override
    public void greatest(Tensor out, Tensor places, Tensor x, Axis... axes) {
        double[] in = arrays.read(x);
        double[] best = new double[Math.toIntExact(out.elements())];
        double[] where = new double[best.length];
        Arrays.fill(where, -1);
        walk(x, out, axes, (from, to, place, weight) -> {
            if (where[to] < 0 || in[from] > best[to] || Double.isNaN(in[from])) {
                best[to] = in[from];
                where[to] = place;
            }
        });
        arrays.write(out, best);
        arrays.write(places, where);
    }

    @Override
    public void addAt(Tensor into, Tensor values, Tensor places, int dims) {
        double[] out = arrays.read(into);
        double[] in = arrays.read(values);
        double[] where = arrays.read(places);
        int from = count(volume(values, dims));
        int to = count(volume(into, dims));
        for (int i = 0; i < in.length; i++) {
            out[i / from * to + (int) where[i]] += in[i];
        }
        arrays.write(into, out);
    }

    @Override
    public void takeAt(Tensor out, Tensor x, Tensor places, int dims) {
        double[] in = arrays.read(x);
        double[] where = arrays.read(places);
        double[] values = new double[where.length];
        int from = count(volume(x, dims));
        int to = count(volume(out, dims));
        Arrays.setAll(values, i -> in[i / to * from + (int) where[i]]);
        arrays.write(out, values);
    }

    private interface Copy {
        void take(int column, int element);
    }

    /** Every element of the columns that is inside of the image, by row-major places. */
    private static void windows(Tensor columns, Tensor image, Axis[] axes, Copy copy) {
        int height = (int) image.size(-2);
        int width = (int) image.size(-1);
        int kernel = (int) (axes[0].kernel() * axes[1].kernel());
        int places = (int) columns.size(-1);
        Axis across = axes[1];
        int perRow = (int)
                ((width + 2 * across.padding() - across.dilation() * (across.kernel() - 1) - 1) / across.stride() + 1);
        for (int i = 0; i < columns.elements(); i++) {
            int place = i % places;
            int within = i / places % kernel;
            int channel = i / places / kernel; // of all images
            long y = place / perRow * axes[0].stride()
                    - axes[0].padding()
                    + within / across.kernel() * axes[0].dilation();
            long x = place % perRow * across.stride() - across.padding() + within % across.kernel() * across.dilation();
            if (y >= 0 && y < height && x >= 0 && x < width) {
                copy.take(i, (int) ((channel * (long) height + y) * width + x));
            }
        }
    }

    @Override
    public void columns(Tensor columns, Tensor image, Axis... axes) {
        double[] in = arrays.read(image);
        double[] out = new double[Math.toIntExact(columns.elements())];
        windows(columns, image, axes, (column, element) -> out[column] = in[element]);
        arrays.write(columns, out);
    }

    @Override
    public void image(Tensor image, Tensor columns, Axis... axes) {
        double[] in = arrays.read(columns);
        double[] out = new double[Math.toIntExact(image.elements())];
        windows(columns, image, axes, (column, element) -> out[element] += in[column]);
        arrays.write(image, out);
    }

    @Override
    public void resample(Tensor out, Tensor x, Axis... axes) {
        double[] in = arrays.read(x);
        double[] values = new double[Math.toIntExact(out.elements())];
        walk(x, out, axes, (from, to, place, weight) -> values[to] += weight * in[from]);
        arrays.write(out, values);
    }

    @Override
    public void resampleBackward(Tensor gradX, Tensor g, Axis... axes) {
        double[] up = arrays.read(g);
        double[] values = new double[Math.toIntExact(gradX.elements())];
        walk(gradX, g, axes, (from, to, place, weight) -> values[from] += weight * up[to]);
        arrays.write(gradX, values);
    }

    @Override
    public void sample(Tensor out, Tensor x, Tensor grid, Grid how) {
        double[] in = arrays.read(x);
        double[] places = arrays.read(grid);
        double[] values = new double[Math.toIntExact(out.elements())];
        int dims = x.dims() - 2;
        int[] from = volume(x, dims);
        int volume = count(volume(out, dims));
        int channels = (int) x.size(1);
        for (int i = 0; i < values.length; i++) {
            int at = i;
            int first = i / volume * count(from);
            HostTaps[] taps = taps(how, places, (i / volume / channels * volume + i % volume) * dims, dims, from);
            each(taps, from, (place, weight) -> values[at] += place < 0 ? 0 : weight * in[first + place]);
        }
        arrays.write(out, values);
    }

    /** By dimension, the slowest first. */
    private static HostTaps[] taps(Grid how, double[] places, int at, int dims, int[] from) {
        HostTaps[] out = new HostTaps[DIMS];
        for (int d = 0; d < DIMS; d++) {
            int coordinate = DIMS - 1 - d;
            out[d] = coordinate < dims
                    ? HostTaps.sampled(how, places[at + coordinate], from[d])
                    : HostTaps.along(SAME, 0, 1, 1);
        }
        return out;
    }

    @Override
    public void sampleBackward(@Nullable Tensor gradX, Tensor gradGrid, Tensor g, Tensor x, Tensor grid, Grid how) {
        double[] in = arrays.read(x);
        double[] places = arrays.read(grid);
        double[] up = arrays.read(g);
        double[] ofX = new double[Math.toIntExact(Layout.elements(x.sizes()))];
        double[] ofGrid = new double[places.length];
        int dims = x.dims() - 2;
        int[] from = volume(x, dims);
        int volume = count(volume(g, dims));
        int channels = (int) x.size(1);
        for (int i = 0; i < up.length; i++) {
            double gradient = up[i];
            int first = i / volume * count(from);
            int at = (i / volume / channels * volume + i % volume) * dims;
            HostTaps[] taps = taps(how, places, at, dims, from);
            each(taps, from, (place, weight) -> ofX[first + Math.max(0, place)] += place < 0 ? 0 : weight * gradient);
            for (int d = DIMS - dims; d < DIMS; d++) {
                HostTaps[] sloped = taps.clone();
                sloped[d] = new HostTaps(taps[d].places(), taps[d].slopes(), taps[d].slopes());
                int coordinate = at + DIMS - 1 - d;
                each(
                        sloped,
                        from,
                        (place, weight) -> ofGrid[coordinate] += place < 0 ? 0 : weight * gradient * in[first + place]);
            }
        }
        if (gradX != null) {
            arrays.write(gradX, ofX);
        }
        arrays.write(gradGrid, ofGrid);
    }

    @Override
    public void transform(Tensor[] out, Tensor[] in, Wave wave) {
        new HostFourier(arrays).transform(out, in, wave);
    }
}
