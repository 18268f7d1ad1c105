package dev.headroom.executor.host;

import dev.headroom.executor.kernel.VolumeKernels.Axis;
import dev.headroom.executor.kernel.VolumeKernels.Border;
import dev.headroom.executor.kernel.VolumeKernels.Grid;
import dev.headroom.executor.kernel.VolumeKernels.Kind;
import dev.headroom.executor.kernel.VolumeKernels.Sampling;

/**
 * The elements of a line that make one element of another, with weights and how these change with the place.
 *
 * @param places -1: outside
 * @param slopes of weights by the place; where nothing is sampled at a place, zeros
 */
record HostTaps(int[] places, double[] weights, double[] slopes) {
    private static final double KEYS = -0.75;

    private static HostTaps of(int n) {
        return new HostTaps(new int[n], new double[n], new double[n]);
    }

    private HostTaps tap(int i, int place, double weight) {
        places[i] = place;
        weights[i] = weight;
        return this;
    }

    /** The taps of one element of a result of {@code to} elements from {@code from} ones. */
    static HostTaps along(Axis a, int at, int from, int to) {
        return switch (a.kind()) {
            case WINDOW, MEAN_PADDED, MEAN_INSIDE -> window(a, at, from);
            case PARTS -> {
                int first = (int) ((long) at * from / to);
                int count = (int) (((long) (at + 1) * from + to - 1) / to) - first;
                HostTaps t = of(count);
                for (int i = 0; i < count; i++) {
                    t.tap(i, first + i, 1.0 / count);
                }
                yield t;
            }
            case NEAREST -> of(1).tap(0, Math.min((int) Math.floor(at * a.scale()), from - 1), 1);
            case NEAREST_EXACT -> of(1).tap(0, Math.min((int) Math.floor((at + 0.5) * a.scale()), from - 1), 1);
            case LINEAR -> {
                double source = Math.max(0, source(a, at));
                int low = Math.min((int) source, from - 1);
                double along = source - low;
                yield of(2).tap(0, low, 1 - along).tap(1, Math.min(low + 1, from - 1), along);
            }
            case CUBIC -> {
                double source = source(a, at);
                HostTaps t = of(4);
                t.cubic(source - Math.floor(source));
                for (int i = 0; i < 4; i++) {
                    t.places[i] = held((int) Math.floor(source) - 1 + i, from);
                }
                yield t;
            }
            case MIRRORED -> {
                int place = Math.abs(at - (int) a.padding());
                yield of(1).tap(0, place >= from ? 2 * (from - 1) - place : place, 1);
            }
            case LINEAR_SMOOTHED, CUBIC_SMOOTHED -> smoothed(a, at, from);
            case HELD -> of(1).tap(0, held(at - (int) a.padding(), from), 1);
        };
    }

    /** aten/src/ATen/native/cuda/UpSample.cuh, upsample_antialias. */
    private static HostTaps smoothed(Axis a, int at, int from) {
        boolean cubic = a.kind() == Kind.CUBIC_SMOOTHED;
        double wide = Math.max(1, a.scale());
        double support = (cubic ? 2 : 1) * wide;
        double center = a.scale() * (at + 0.5);
        int first = Math.max((int) (center - support + 0.5), 0);
        int count = Math.min((int) (center + support + 0.5), from) - first;
        HostTaps t = of(count);
        double sum = 0;
        for (int i = 0; i < count; i++) {
            double weight = filter(cubic, (i + first - center + 0.5) / wide);
            t.tap(i, first + i, weight);
            sum += weight;
        }
        for (int i = 0; i < count; i++) {
            t.weights[i] /= sum;
        }
        return t;
    }

    private static double filter(boolean cubic, double place) {
        double x = Math.abs(place);
        if (!cubic) {
            return x < 1 ? 1 - x : 0;
        }
        double keys = -0.5;
        return x < 1 ? ((keys + 2) * x - (keys + 3)) * x * x + 1 : x < 2 ? ((x - 5) * x + 8) * x * keys - 4 * keys : 0;
    }

    private static int held(int place, int size) {
        return Math.max(0, Math.min(place, size - 1));
    }

    private static double source(Axis a, int at) {
        return a.corners() ? at * a.scale() : (at + 0.5) * a.scale() - 0.5;
    }

    private static HostTaps window(Axis a, int at, int from) {
        int start = (int) (at * a.stride() - a.padding());
        int inside = 0;
        for (int k = 0; k < a.kernel(); k++) {
            long place = start + k * a.dilation();
            inside += place >= 0 && place < from ? 1 : 0;
        }
        long framed = Math.min(start + a.kernel(), from + a.padding()) - start;
        double share = a.kind() == Kind.WINDOW ? a.scale() : 1.0 / (a.kind() == Kind.MEAN_PADDED ? framed : inside);
        HostTaps t = of(inside);
        int n = 0;
        for (int k = 0; k < a.kernel(); k++) {
            int place = (int) (start + k * a.dilation());
            if (place >= 0 && place < from) {
                t.tap(n++, place, share);
            }
        }
        return t;
    }

    /** The weights of four neighbours of a place {@code t} behind the second. */
    private void cubic(double t) {
        double[] distances = {t + 1, t, 1 - t, 2 - t};
        for (int i = 0; i < 4; i++) {
            double x = distances[i];
            boolean near = i == 1 || i == 2;
            weights[i] = near
                    ? ((KEYS + 2) * x - (KEYS + 3)) * x * x + 1
                    : ((KEYS * x - 5 * KEYS) * x + 8 * KEYS) * x - 4 * KEYS;
            double slope = near ? (3 * (KEYS + 2) * x - 2 * (KEYS + 3)) * x : (3 * KEYS * x - 10 * KEYS) * x + 8 * KEYS;
            slopes[i] = i < 2 ? slope : -slope;
        }
    }

    /** The taps of a place of a grid (aten/src/ATen/native/GridSamplerUtils.h). */
    static HostTaps sampled(Grid how, double grid, int size) {
        double unit = (how.corners() ? size - 1 : size) / 2.0;
        double place = how.corners() ? (grid + 1) * unit : (grid + 1) * unit - 0.5;
        if (how.sampling() == Sampling.CUBIC) {
            HostTaps t = of(4);
            t.cubic(place - Math.floor(place));
            for (int i = 0; i < 4; i++) {
                double bounded = bounded(how, Math.floor(place) - 1 + i, size)[0];
                t.places[i] = bounded >= 0 && bounded < size ? (int) bounded : -1;
                t.slopes[i] *= unit;
            }
            return t;
        }
        double[] bounded = bounded(how, place, size);
        if (how.sampling() == Sampling.NEAREST) {
            double nearest = Math.rint(bounded[0]);
            return of(1).tap(0, nearest >= 0 && nearest < size ? (int) nearest : -1, 1);
        }
        int low = (int) Math.floor(bounded[0]);
        double along = bounded[0] - low;
        HostTaps t = of(2).tap(0, low, 1 - along).tap(1, low + 1, along);
        for (int i = 0; i < 2; i++) {
            t.places[i] = t.places[i] >= 0 && t.places[i] < size ? t.places[i] : -1;
            t.slopes[i] = (i == 0 ? -1 : 1) * unit * bounded[1];
        }
        return t;
    }

    /** A place brought inside, and what its change is multiplied with. */
    private static double[] bounded(Grid how, double place, int size) {
        if (how.border() == Border.ZEROS) {
            return new double[] {place, 1};
        }
        double at = place;
        double slope = 1;
        if (how.border() == Border.REFLECTED) {
            double least = how.corners() ? 0 : -0.5;
            double span = how.corners() ? size - 1 : size;
            double off = at - least;
            slope = off < 0 ? -1 : 1;
            off = Math.abs(off);
            double turns = span == 0 ? 0 : Math.floor(off / span);
            double rest = span == 0 ? 0 : off - turns * span;
            boolean back = turns % 2 != 0;
            at = span == 0 ? 0 : (back ? span - rest : rest) + least;
            slope = span == 0 ? 0 : back ? -slope : slope;
        }
        boolean outside = at <= 0 || at >= size - 1;
        return new double[] {Math.max(0, Math.min(at, size - 1)), outside ? 0 : slope};
    }
}
