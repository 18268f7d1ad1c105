package dev.headroom.executor.host;

import dev.headroom.executor.kernel.BagCall;
import dev.headroom.executor.kernel.ClassLossCall;
import dev.headroom.executor.kernel.IndexingKernels;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;

final class HostIndexing implements IndexingKernels {
    private final HostArrays arrays;

    HostIndexing(HostArrays arrays) {
        this.arrays = arrays;
    }

    @Override
    public void index(Tensor result, Tensor x, Tensor[] indices) {
        double[] from = arrays.read(x);
        int[] places = places(x.sizes(), indices);
        arrays.write(result, Arrays.stream(places).mapToDouble(p -> from[p]).toArray());
    }

    @Override
    public void indexAdd(Tensor into, Tensor[] indices, Tensor values, double factor) {
        double[] out = arrays.read(into);
        double[] in = arrays.read(values);
        int[] places = places(into.sizes(), indices);
        for (int i = 0; i < in.length; i++) {
            out[places[i]] += factor * in[i];
        }
        arrays.write(into, out);
    }

    @Override
    public void indexPut(Tensor into, Tensor[] indices, Tensor values) {
        double[] out = arrays.read(into);
        double[] in = arrays.read(values);
        int[] places = places(into.sizes(), indices);
        for (int i = 0; i < in.length; i++) {
            out[places[i]] = in[i];
        }
        arrays.write(into, out);
    }

    /** For each element of the indexed result: where it is in the tensor, both in row-major order. */
    private int[] places(long[] sizes, Tensor[] indices) {
        int first = -1;
        int last = -1;
        int count = 0;
        long[] common = {};
        for (int d = 0; d < indices.length; d++) {
            if (indices[d] != null) {
                first = first < 0 ? d : first;
                last = d;
                count++;
                common = Layout.broadcast(common, indices[d].sizes());
            }
        }
        long[] steps = Layout.contiguous(sizes);
        int picks = (int) Layout.elements(common);
        int[] picked = new int[picks];
        for (int d = 0; d < indices.length; d++) {
            if (indices[d] != null) {
                double[] values = arrays.read(indices[d], common);
                for (int i = 0; i < picks; i++) {
                    picked[i] += (int) (bounded(values[i], sizes[d]) * steps[d]);
                }
            }
        }
        boolean together = last - first + 1 == count;
        int front = together ? first : 0;
        int[] out = {0};
        for (int d = 0; d <= sizes.length; d++) {
            if (d == front) {
                out = combined(out, picked);
            }
            if (d < sizes.length && (d >= indices.length || indices[d] == null)) {
                int[] all = new int[(int) sizes[d]];
                for (int i = 0; i < all.length; i++) {
                    all[i] = (int) (i * steps[d]);
                }
                out = combined(out, all);
            }
        }
        return out;
    }

    private static int[] combined(int[] outer, int[] inner) {
        int[] out = new int[outer.length * inner.length];
        for (int i = 0; i < outer.length; i++) {
            for (int j = 0; j < inner.length; j++) {
                out[i * inner.length + j] = outer[i] + inner[j];
            }
        }
        return out;
    }

    private static long bounded(double index, long size) {
        long i = (long) index;
        long place = i < 0 ? i + size : i;
        if (place < 0 || place >= size) {
            throw new dev.headroom.model.error.UserInputException(
                    "index " + i + " is out of bounds for " + size + " entries");
        }
        return place;
    }

    @Override
    public void gather(Tensor result, Tensor x, int dim, Tensor index) {
        double[] from = arrays.read(x);
        int[] places = alongPlaces(x.sizes(), dim, index);
        double[] out = new double[places.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = from[places[i]];
        }
        arrays.write(result, out);
    }

    @Override
    public void scatter(Tensor into, int dim, Tensor index, Tensor values) {
        double[] out = arrays.read(into);
        int[] places = alongPlaces(into.sizes(), dim, index);
        double[] in = values.onDevice() ? arrays.read(values) : null;
        int[] corner = in == null ? places : cornerPlaces(values.sizes(), index.sizes());
        for (int i = 0; i < places.length; i++) {
            out[places[i]] = in == null ? values.number() : in[corner[i]];
        }
        arrays.write(into, out);
    }

    @Override
    public void scatterAdd(Tensor into, int dim, Tensor index, Tensor values) {
        double[] out = arrays.read(into);
        double[] in = arrays.read(values);
        int[] places = alongPlaces(into.sizes(), dim, index);
        int[] corner = cornerPlaces(values.sizes(), index.sizes());
        for (int i = 0; i < places.length; i++) {
            out[places[i]] += in[corner[i]];
        }
        arrays.write(into, out);
    }

    @Override
    public void scatterCombine(Combine how, Tensor into, int dim, Tensor index, Tensor values) {
        double[] out = arrays.read(into);
        double[] in = arrays.read(values);
        int[] places = alongPlaces(into.sizes(), dim, index);
        int[] corner = cornerPlaces(values.sizes(), index.sizes());
        for (int i = 0; i < places.length; i++) {
            double there = out[places[i]];
            double value = in[corner[i]];
            out[places[i]] = switch (how) {
                case PRODUCT -> there * value;
                case MAX -> Math.max(there, value);
                case MIN -> Math.min(there, value);
            };
        }
        arrays.write(into, out);
    }

    @Override
    public void search(Tensor places, Tensor lines, Tensor values, boolean after) {
        double[] sorted = arrays.read(lines);
        double[] in = arrays.read(values);
        int length = (int) lines.size(-1);
        int each = lines.dims() == 1 ? Math.max(1, in.length) : (int) values.size(-1);
        double[] out = new double[in.length];
        for (int i = 0; i < in.length; i++) {
            int first = i / each * length;
            int at = 0;
            while (at < length && (after ? sorted[first + at] <= in[i] : sorted[first + at] < in[i])) {
                at++;
            }
            out[i] = at;
        }
        arrays.write(places, out);
    }

    @Override
    public void bags(BagCall call, Tensor result, Tensor weight, Tensor bagOf, Tensor sizes, Tensor largest) {
        new HostBags(arrays, call).forward(result, weight, bagOf, sizes, largest);
    }

    @Override
    public void bagsBackward(BagCall call, Tensor gradient, Tensor g, Tensor bagOf, Tensor sizes, Tensor largest) {
        new HostBags(arrays, call).backward(gradient, g, bagOf, sizes, largest);
    }

    @Override
    public void bagFactorsBackward(BagCall call, Tensor gradient, Tensor g, Tensor weight, Tensor bagOf) {
        new HostBags(arrays, call).factorsBackward(gradient, g, weight, bagOf);
    }

    private int[] alongPlaces(long[] sizes, int dim, Tensor index) {
        double[] values = arrays.read(index);
        long[] steps = Layout.contiguous(sizes);
        long[] at = new long[index.dims()];
        int[] out = new int[values.length];
        for (int i = 0; i < out.length; i++) {
            long place = 0;
            for (int d = 0; d < at.length; d++) {
                place += (d == dim ? bounded(values[i], sizes[d]) : at[d]) * steps[d];
            }
            out[i] = (int) place;
            for (int d = at.length - 1; d >= 0 && ++at[d] == index.size(d); d--) {
                at[d] = 0;
            }
        }
        return out;
    }

    /** For each element of a corner of a tensor: where it is in the tensor, both in row-major order. */
    private static int[] cornerPlaces(long[] sizes, long[] corner) {
        long[] steps = Layout.contiguous(sizes);
        int[] out = {0};
        for (int d = 0; d < corner.length; d++) {
            int[] line = new int[(int) corner[d]];
            for (int i = 0; i < line.length; i++) {
                line[i] = (int) (i * steps[d]);
            }
            out = combined(out, line);
        }
        return out;
    }

    @Override
    public void range(Tensor result, double start, double step) {
        double[] out = new double[(int) result.elements()];
        Arrays.setAll(out, i -> start + i * step);
        arrays.write(result, out);
    }

    @Override
    public void triangle(Tensor result, Tensor x, long diagonal, boolean upper) {
        double[] values = arrays.read(x);
        int rows = (int) x.size(-2);
        int columns = (int) x.size(-1);
        for (int i = 0; i < values.length; i++) {
            long beyond = i % columns - i / columns % rows - diagonal;
            if (upper ? beyond < 0 : beyond > 0) {
                values[i] = 0;
            }
        }
        arrays.write(result, values);
    }

    @Override
    public void classLoss(ClassLossCall call, Tensor scores, Tensor result) {
        boolean each = call.each();
        double[] s = arrays.read(scores);
        double[] classes = arrays.read(call.target());
        double[] w = call.weight() == null ? null : arrays.read(call.weight());
        int count = (int) scores.size(1);
        int rest = (int) scores.size(2);
        double[] out = new double[each ? classes.length : 1];
        double total = 0;
        for (int i = 0; i < classes.length; i++) {
            int c = (int) classes[i];
            if (c != call.ignored()) {
                bounded(c, count);
                double factor = w == null ? 1 : w[c];
                out[each ? i : 0] -= factor * s[(i / rest * count + c) * rest + i % rest];
                total += factor;
            }
        }
        if (!each && call.mean()) {
            out[0] /= total;
        }
        arrays.write(result, out);
        arrays.write(call.totalWeight(), new double[] {total});
    }

    @Override
    public void classLossBackward(ClassLossCall call, Tensor g, Tensor gradient) {
        boolean each = call.each();
        double[] gs = arrays.read(g);
        double[] classes = arrays.read(call.target());
        double[] w = call.weight() == null ? null : arrays.read(call.weight());
        double total = arrays.read(call.totalWeight())[0];
        int count = (int) gradient.size(1);
        int rest = (int) gradient.size(2);
        double[] out = new double[(int) gradient.elements()];
        for (int i = 0; i < classes.length; i++) {
            int c = (int) classes[i];
            if (c != call.ignored()) {
                double factor = (w == null ? 1 : w[c]) * gs[each ? i : 0];
                out[(i / rest * count + c) * rest + i % rest] = -(call.mean() && !each ? factor / total : factor);
            }
        }
        arrays.write(gradient, out);
    }

    @Override
    public void align(Alignment of, Tensor logs, Tensor alpha, Tensor losses) {
        new HostAlignments(arrays, of, logs).forward(alpha, losses);
    }

    @Override
    public void alignBack(Alignment of, Tensor logs, Tensor beta) {
        new HostAlignments(arrays, of, logs).backward(beta);
    }

    @Override
    public void alignGradient(
            Alignment of,
            Tensor[] tables,
            Tensor logs,
            Tensor losses,
            Tensor g,
            Tensor gradient,
            boolean blanks,
            boolean spared) {
        new HostAlignments(arrays, of, logs).gradient(tables, losses, g, gradient, blanks, spared);
    }

    @Override
    public void maskedScatter(Tensor result, Tensor mask, Tensor counts, Tensor source) {
        double[] out = arrays.read(result);
        double[] picked = arrays.read(mask, result.sizes());
        double[] from = arrays.read(source);
        int next = 0;
        for (int i = 0; i < out.length; i++) {
            if (picked[i] != 0) {
                if (next == from.length) {
                    throw new dev.headroom.model.error.UserInputException(
                            "masked_scatter: the mask picks more than the " + from.length + " elements of the source");
                }
                out[i] = from[next++];
            }
        }
        arrays.write(result, out);
    }

    @Override
    public void maskedTake(Tensor line, Tensor mask, Tensor x) {
        double[] out = arrays.read(line);
        double[] picked = arrays.read(mask, x.sizes());
        double[] from = arrays.read(x);
        int next = 0;
        for (int i = 0; i < from.length && next < out.length; i++) {
            if (picked[i] != 0) {
                out[next++] = from[i];
            }
        }
        arrays.write(line, out);
    }
}
