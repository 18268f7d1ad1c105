package dev.headroom.estimator.runtime;

import dev.headroom.model.graph.Shapes;
import java.util.Objects;

/**
 * History of views when memory that they share is written to: an in-place operator on a view becomes part of its base's
 * history (torch/csrc/autograd/variable.cpp, rebase_history; torch/csrc/autograd/functions/tensor.cpp, CopySlices), and
 * other views get theirs anew from the base.
 */
final class ViewHistory {
    private ViewHistory() {}

    /**
     * Makes {@code CopySlices} the base's node: it applies the operator's node to the part of the gradient that
     * belongs to the view.
     *
     * @param fn the operator's node, its first input the view; what it saved and where its other gradients go is
     *     taken over
     */
    static void rebase(EagerRuntime rt, GradNode fn, Tensor view) {
        Tensor base = Objects.requireNonNull(view.base(), "a view");
        fn.addInput(view.sizes(), view.dtype());
        GradNode.Edge[] edges = fn.edges.clone();
        edges[0] = rt.tape().edge(base);
        GradNode node = rt.tape().node("CopySlices", edges);
        node.addInput(base.sizes(), base.dtype());
        node.saved.addAll(fn.saved);
        fn.saved.clear();
        if (fn.edges[0] != null) {
            rt.tape().release(fn.edges[0].node());
        }
        long[] sizes = base.sizes();
        long[] strides = base.strides();
        long[] viewSizes = view.sizes();
        long[] viewStrides = view.strides();
        node.unpacks = true;
        node.backward = grads -> {
            Tensor[] out = new Tensor[edges.length];
            if (grads[0] == null) {
                return out;
            }
            Tensor result = rt.emptyStrided(grads[0].dtype(), sizes, strides);
            Tensor part = rt.emptyStrided(grads[0].dtype(), viewSizes, Shapes.preserved(viewSizes, viewStrides));
            rt.tape().unpackSaved(node);
            Tensor[] inner;
            try (Frame operator = rt.frame()) {
                inner = java.util.Arrays.copyOf(
                        Objects.requireNonNull(fn.backward, fn.name).apply(new Tensor[] {part}), edges.length);
                for (Tensor t : inner) {
                    operator.keep(t);
                }
            }
            for (int i = 1; i < out.length; i++) {
                out[i] = inner[i];
            }
            if (inner[0] != part && !held(out, part)) {
                rt.free(part);
            }
            if (edges[0] != null) {
                out[0] = result;
            }
            if (inner[0] != null && !held(out, inner[0])) {
                rt.free(inner[0]);
            }
            return out;
        };
        rt.tape().setHistory(base, node);
        refresh(rt, view);
    }

    private static boolean held(Tensor[] out, Tensor t) {
        for (Tensor o : out) {
            if (o == t) {
                return true;
            }
        }
        return false;
    }

    /** Gives a view the history of a strided window on its base as that is now. */
    static void refresh(EagerRuntime rt, Tensor view) {
        Tensor base = Objects.requireNonNull(view.base(), "a view");
        view.historyVersion = view.storage().version;
        GradNode.Edge edge = rt.tape().edge(base);
        if (edge == null) {
            return;
        }
        GradNode node = rt.tape().node("AsStridedBackward0", edge);
        node.addInput(view.sizes(), view.dtype());
        long[] sizes = base.sizes();
        long[] strides = base.strides();
        node.backward = grads -> {
            if (grads[0] == null) {
                return new Tensor[1];
            }
            long elements = Math.max(Shapes.numel(sizes), 1);
            Tensor zeros = rt.empty(grads[0].dtype(), elements);
            Tensor out = rt.reinterpret(zeros, sizes, strides, 0);
            rt.free(zeros);
            return new Tensor[] {out};
        };
        rt.tape().setHistory(view, node);
    }
}
