package dev.headroom.model.onnx.op;

import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Operators that pick, order or sum up elements. */
final class Selections {
    private Selections() {}

    static void add(Map<String, Mapping> table) {
        table.put("TopK", Selections::topk);
        table.put("ArgMax", c -> extreme(c, "aten.argmax.default"));
        table.put("ArgMin", c -> extreme(c, "aten.argmin.default"));
        table.put("CumSum", Selections::cumsum);
        table.put("GatherElements", Selections::gather);
        table.put("ScatterElements", Selections::scatter);
        table.put("Trilu", Selections::triangle);
        table.put("Einsum", Selections::einsum);
        table.put("ReduceL1", c -> Views.reduce(c, "aten.linalg_vector_norm.default", "ord", 1));
        table.put("ReduceL2", c -> Views.reduce(c, "aten.linalg_vector_norm.default", "ord", 2));
        table.put("ReduceLogSumExp", c -> Views.reduce(c, "aten.logsumexp.default"));
    }

    private static int axis(Call c, long otherwise) {
        return Call.dim(c.number("axis", otherwise), c.rank(0));
    }

    private static void topk(Call c) {
        int axis = axis(c, -1);
        List<SymExpr> k = c.integers("", 1);
        if (k == null || k.size() != 1) {
            throw new NoCounterpart();
        }
        List<SymExpr> out = new ArrayList<>(c.knownSizes(0));
        out.set(axis, k.get(0));
        c.write(
                "aten.topk.default",
                List.of(new Call.Result(c.dtype(0), out), new Call.Result(DType.INT64, out)),
                "self",
                c.tensor(0),
                "k",
                k.get(0),
                "dim",
                axis,
                "largest",
                c.number("largest", 1) == 1,
                "sorted",
                c.number("sorted", 1) == 1);
    }

    private static void extreme(Call c, String target) {
        int axis = axis(c, 0);
        boolean keep = c.number("keepdims", 1) == 1;
        List<SymExpr> out = new ArrayList<>(c.knownSizes(0));
        out.remove(axis);
        if (keep) {
            out.add(axis, SymExpr.of(1));
        }
        c.write(target, DType.INT64, out, "self", c.tensor(0), "dim", axis, "keepdim", keep);
    }

    private static void cumsum(Call c) {
        List<Long> axis = c.constants("", 1);
        if (axis == null || axis.size() != 1 || c.number("exclusive", 0) + c.number("reverse", 0) > 0) {
            throw new NoCounterpart();
        }
        c.write("aten.cumsum.default", c.dtype(0), c.sizes(0), "self", c.tensor(0), "dim", axis.get(0));
    }

    private static void gather(Call c) {
        c.write(
                "aten.gather.default",
                c.dtype(0),
                c.sizes(1),
                "self",
                c.tensor(0),
                "dim",
                axis(c, 0),
                "index",
                c.tensor(1));
    }

    private static void scatter(Call c) {
        String reduction = c.text("reduction", "none");
        if (!reduction.equals("none") && !reduction.equals("add")) {
            throw new NoCounterpart();
        }
        c.write(
                reduction.equals("add") ? "aten.scatter_add.default" : "aten.scatter.src",
                c.dtype(0),
                c.sizes(0),
                "self",
                c.tensor(0),
                "dim",
                axis(c, 0),
                "index",
                c.tensor(1),
                "src",
                c.tensor(2));
    }

    private static void triangle(Call c) {
        List<Long> diagonal = c.constants("", 1);
        String target = c.number("upper", 1) == 1 ? "aten.triu.default" : "aten.tril.default";
        long at = diagonal == null || diagonal.isEmpty() ? 0 : diagonal.get(0);
        c.write(target, c.dtype(0), c.sizes(0), "self", c.tensor(0), "diagonal", at);
    }

    /** An equation that names every dimension by a letter, and those of the result. */
    private static void einsum(Call c) {
        String equation = c.text("equation", "").replace(" ", "");
        int arrow = equation.indexOf("->");
        String[] terms =
                arrow < 0 ? new String[0] : equation.substring(0, arrow).split(",", -1);
        if (terms.length != c.inputs() || equation.contains(".")) {
            throw new NoCounterpart();
        }
        Map<Character, SymExpr> letters = new HashMap<>();
        Value[] tensors = new Value[terms.length];
        for (int i = 0; i < terms.length; i++) {
            List<SymExpr> sizes = c.knownSizes(i);
            if (sizes.size() != terms[i].length()) {
                throw new NoCounterpart();
            }
            for (int d = 0; d < sizes.size(); d++) {
                letters.put(terms[i].charAt(d), sizes.get(d));
            }
            tensors[i] = c.tensor(i);
        }
        List<SymExpr> out = new ArrayList<>();
        for (char letter : equation.substring(arrow + 2).toCharArray()) {
            SymExpr size = letters.get(letter);
            if (size == null) {
                throw new NoCounterpart();
            }
            out.add(size);
        }
        c.write("aten.einsum.default", c.dtype(0), out, "equation", equation, "tensors", tensors);
    }
}
