package dev.headroom.estimator.op.view;

import dev.headroom.estimator.op.core.Parts;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Dimensions;
import dev.headroom.model.graph.Shapes;
import java.util.Arrays;

/** Views whose arguments take some reading before {@code Views} can make them. */
final class ViewCalls {
    private ViewCalls() {}

    static long[] reversed(int n) {
        long[] out = new long[n];
        Arrays.setAll(out, i -> n - 1 - i);
        return out;
    }

    static Tensor movedim(Call c) {
        Tensor t = c.tensor("self");
        long[] source = c.integers("source");
        long[] destination = c.integers("destination");
        long[] perm = new long[t.dim()];
        Arrays.fill(perm, -1);
        boolean[] used = new boolean[t.dim()];
        for (int i = 0; i < source.length; i++) {
            int from = Shapes.wrap(source[i], t.dim());
            perm[Shapes.wrap(destination[i], t.dim())] = from;
            used[from] = true;
        }
        int next = 0;
        for (int i = 0; i < perm.length; i++) {
            if (perm[i] < 0) {
                while (used[next]) {
                    next++;
                }
                perm[i] = next++;
            }
        }
        return Views.permute(c.runtime(), t, perm);
    }

    /**
     * Indexing with {@code :} alone is no operator eagerly; only tracing writes it down (torch/csrc/autograd/
     * python_variable_indexing.cpp; ATen/TensorIndexing.h, applySlice).
     */
    static Tensor slice(Call c) {
        long start = c.integer("start", 0);
        long end = c.integer("end", Long.MAX_VALUE);
        long step = c.integer("step", 1);
        Tensor t = c.tensor("self");
        if (start == 0 && end == Long.MAX_VALUE && step == 1) {
            return t;
        }
        return Views.slice(c.runtime(), t, c.integer("dim", 0), start, end, step);
    }

    static Tensor squeeze(Call c) {
        long[] dims = c.integersOrNull("dim");
        return Views.squeeze(c.runtime(), c.tensor("self"), dims == null ? new long[0] : dims);
    }

    static Tensor unflatten(Call c) {
        Tensor t = c.tensor("self");
        int d = Shapes.wrap(c.integer("dim"), t.dim());
        return Views.view(c.runtime(), t, Dimensions.unflattened(t.sizes(), d, c.integers("sizes")));
    }

    static Tensor[] chunk(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        long dim = c.integer("dim", 0);
        long size = t.size((int) dim);
        long part = (size + c.integer("chunks") - 1) / c.integer("chunks");
        return Parts.split(rt, t, dim, Parts.parts(size, part));
    }
}
