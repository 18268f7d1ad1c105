package dev.headroom.executor.host;

import dev.headroom.executor.kernel.PoolingKernels;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Pooling plane by plane. A linear map and its gradient are one walk over the same weights. */
final class HostPoolings implements PoolingKernels {
    private final HostArrays arrays;

    HostPoolings(HostArrays arrays) {
        this.arrays = arrays;
    }

    @Override
    public void maxPool(Tensor out, Tensor places, Tensor x, Window w) {
        double[] in = arrays.read(x);
        double[] best = new double[Math.toIntExact(out.elements())];
        double[] where = new double[best.length];
        Plane from = Plane.of(x);
        Plane to = Plane.of(out);
        for (int i = 0; i < best.length; i++) {
            int first = i / to.size() * from.size();
            int row = (int) (i % to.size() / to.width() * w.stride()[0] - w.padding()[0]);
            int column = (int) (i % to.width() * w.stride()[1] - w.padding()[1]);
            boolean found = false;
            for (int a = 0; a < w.kernel()[0]; a++) {
                for (int b = 0; b < w.kernel()[1]; b++) {
                    int r = row + a * (int) w.dilation()[0];
                    int c = column + b * (int) w.dilation()[1];
                    boolean inside = r >= 0 && r < from.height() && c >= 0 && c < from.width();
                    int place = r * from.width() + c;
                    if (inside && (!found || in[first + place] > best[i])) {
                        found = true;
                        best[i] = in[first + place];
                        where[i] = place;
                    }
                }
            }
        }
        arrays.write(out, best);
        arrays.write(places, where);
    }

    @Override
    public void maxPoolBackward(Tensor gradX, Tensor g, Tensor places) {
        double[] up = arrays.read(g);
        double[] where = arrays.read(places);
        double[] out = new double[Math.toIntExact(gradX.elements())];
        int from = Plane.of(g).size();
        int to = Plane.of(gradX).size();
        for (int i = 0; i < up.length; i++) {
            out[i / from * to + (int) where[i]] += up[i];
        }
        arrays.write(gradX, out);
    }

    @Override
    public void averagePool(Tensor out, Tensor x, Window w, boolean countsPadding, long divisor) {
        apply(out, x, windows(x, w, countsPadding, divisor));
    }

    @Override
    public void averagePoolBackward(Tensor gradX, Tensor g, Window w, boolean countsPadding, long divisor) {
        transpose(gradX, g, windows(gradX, w, countsPadding, divisor));
    }

    @Override
    public void adaptiveAveragePool(Tensor out, Tensor x) {
        apply(out, x, parts(x, out));
    }

    @Override
    public void adaptiveAveragePoolBackward(Tensor gradX, Tensor g) {
        transpose(gradX, g, parts(gradX, g));
    }

    @Override
    public void nearest(Tensor out, Tensor x, Scaling scaling) {
        apply(out, x, HostResampling.nearest(Plane.of(x), Plane.of(out), scaling));
    }

    @Override
    public void nearestBackward(Tensor gradX, Tensor g, Scaling scaling) {
        transpose(gradX, g, HostResampling.nearest(Plane.of(gradX), Plane.of(g), scaling));
    }

    @Override
    public void bilinear(Tensor out, Tensor x, Scaling scaling) {
        apply(out, x, HostResampling.bilinear(Plane.of(x), Plane.of(out), scaling));
    }

    @Override
    public void bilinearBackward(Tensor gradX, Tensor g, Scaling scaling) {
        transpose(gradX, g, HostResampling.bilinear(Plane.of(gradX), Plane.of(g), scaling));
    }

    /** Height and width. */
    record Plane(int height, int width) {
        static Plane of(Tensor t) {
            return new Plane((int) t.size(-2), (int) t.size(-1));
        }

        int size() {
            return height * width;
        }
    }

    /** Which elements of a plane make an element of another plane, and with which weights. */
    interface Weights {
        /** Tells all places in the source plane with their weights. */
        void of(int row, int column, Visitor visitor);
    }

    interface Visitor {
        void visit(int place, double weight);
    }

    private static Weights windows(Tensor x, Window w, boolean countsPadding, long divisor) {
        Plane from = Plane.of(x);
        return (row, column, visitor) -> {
            int top = (int) (row * w.stride()[0] - w.padding()[0]);
            int left = (int) (column * w.stride()[1] - w.padding()[1]);
            int bottom = (int) Math.min(top + w.kernel()[0], from.height() + w.padding()[0]);
            int right = (int) Math.min(left + w.kernel()[1], from.width() + w.padding()[1]);
            int framed = (bottom - top) * (right - left);
            top = Math.max(top, 0);
            left = Math.max(left, 0);
            bottom = Math.min(bottom, from.height());
            right = Math.min(right, from.width());
            int inside = (bottom - top) * (right - left);
            double share = 1.0 / (divisor != 0 ? divisor : countsPadding ? framed : inside);
            rectangle(from, top, left, bottom, right, share, visitor);
        };
    }

    private static Weights parts(Tensor x, Tensor y) {
        Plane from = Plane.of(x);
        Plane to = Plane.of(y);
        return (row, column, visitor) -> {
            int top = row * from.height() / to.height();
            int left = column * from.width() / to.width();
            int bottom = ((row + 1) * from.height() + to.height() - 1) / to.height();
            int right = ((column + 1) * from.width() + to.width() - 1) / to.width();
            rectangle(from, top, left, bottom, right, 1.0 / ((bottom - top) * (right - left)), visitor);
        };
    }

    private static void rectangle(
            Plane plane, int top, int left, int bottom, int right, double share, Visitor visitor) {
        for (int r = top; r < bottom; r++) {
            for (int c = left; c < right; c++) {
                visitor.visit(r * plane.width() + c, share);
            }
        }
    }

    private void apply(Tensor out, Tensor x, Weights weights) {
        double[] in = arrays.read(x);
        double[] values = new double[Math.toIntExact(out.elements())];
        walk(Plane.of(x), Plane.of(out), values.length, weights, (from, to, weight) -> values[to] += weight * in[from]);
        arrays.write(out, values);
    }

    private void transpose(Tensor gradX, Tensor g, Weights weights) {
        double[] up = arrays.read(g);
        double[] values = new double[Math.toIntExact(gradX.elements())];
        walk(Plane.of(gradX), Plane.of(g), up.length, weights, (from, to, weight) -> values[from] += weight * up[to]);
        arrays.write(gradX, values);
    }

    private interface Step {
        void take(int from, int to, double weight);
    }

    private static void walk(Plane from, Plane to, int elements, Weights weights, Step step) {
        for (int i = 0; i < elements; i++) {
            int first = i / to.size() * from.size();
            int at = i;
            weights.of(
                    i % to.size() / to.width(),
                    i % to.width(),
                    (place, weight) -> step.take(first + place, at, weight));
        }
    }

    /** Walks over the elements of pooled regions. */
    private interface Walk {
        /**
         * Of one element and what it is made of.
         *
         * @param element of the regions
         * @param plane first element of the image's plane
         */
        void take(int element, int plane, int at, double weight);
    }

    private void regions(Tensor out, Tensor x, Tensor regions, Regions how, Walk walk) {
        double[] rows = arrays.read(regions);
        int high = (int) out.size(2);
        int wide = (int) out.size(3);
        int height = (int) x.size(2);
        int width = (int) x.size(3);
        HostRegions pooled = new HostRegions(how, height, width, high, wide);
        for (int i = 0; i < out.elements(); i++) {
            int element = i;
            int column = i % wide;
            int row = i / wide % high;
            int channel = i / wide / high % (int) out.size(1);
            int number = i / wide / high / (int) out.size(1);
            double[] region = Arrays.copyOfRange(rows, 5 * number, 5 * number + 5);
            int plane = (((int) region[0]) * (int) x.size(1) + pooled.channel(channel, row, column)) * height * width;
            pooled.each(region, row, column, (y, z, weight) -> walk.take(element, plane, y * width + z, weight));
        }
    }

    @Override
    public void regions(Tensor out, @Nullable Tensor places, Tensor x, Tensor regions, Regions how) {
        double[] in = arrays.read(x);
        double[] values = new double[Math.toIntExact(out.elements())];
        double[] where = new double[values.length];
        boolean greatest = how.kind() == RegionKind.GREATEST;
        Arrays.fill(where, -1);
        regions(out, x, regions, how, (element, plane, at, weight) -> {
            double value = in[plane + at];
            if (!greatest) {
                values[element] += weight * value;
            } else if (where[element] < 0 || value > values[element]) {
                values[element] = value;
                where[element] = at;
            }
        });
        arrays.write(out, values);
        if (places != null) {
            int parts = (int) (out.size(2) * out.size(3));
            for (int i = 0; i < where.length && !greatest; i++) {
                where[i] = i % (parts * (int) out.size(1)); // the channel that it read
            }
            arrays.write(places, where);
        }
    }

    @Override
    public void regionsBackward(Tensor gradX, Tensor g, @Nullable Tensor places, Tensor regions, Regions how) {
        double[] up = arrays.read(g);
        double[] where = places == null ? new double[0] : arrays.read(places);
        double[] out = arrays.read(gradX);
        boolean greatest = how.kind() == RegionKind.GREATEST;
        regions(g, gradX, regions, how, (element, plane, at, weight) -> {
            if (!greatest || where[element] == at) {
                out[plane + at] += weight * up[element];
            }
        });
        arrays.write(gradX, out);
    }
}
