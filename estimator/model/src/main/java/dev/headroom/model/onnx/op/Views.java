package dev.headroom.model.onnx.op;

import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.onnx.file.OnnxFile;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Operators that look at, move, join or reduce elements. */
final class Views {
    private static final SymExpr ONE = SymExpr.of(1);

    private Views() {}

    static void add(Map<String, Mapping> table) {
        table.put("Reshape", Views::reshape);
        table.put("Flatten", Views::flatten);
        table.put("Transpose", Views::transpose);
        table.put("Squeeze", Views::squeeze);
        table.put("Unsqueeze", Views::unsqueeze);
        table.put("Concat", Views::concat);
        table.put("Split", Views::split);
        table.put("Slice", Views::slice);
        table.put("Gather", Views::gather);
        table.put("Expand", Views::expand);
        table.put("ConstantOfShape", Views::filled);
        table.put("Range", Views::range);
        table.put("ReduceMean", c -> reduce(c, "aten.mean.dim"));
        table.put("ReduceSum", c -> reduce(c, "aten.sum.dim_IntList"));
        table.put("ReduceMax", c -> reduce(c, "aten.amax.default"));
        table.put("ReduceMin", c -> reduce(c, "aten.amin.default"));
    }

    private static void reshape(Call c) {
        List<SymExpr> asked = c.integers("shape", 1);
        if (asked == null) {
            throw new NoCounterpart();
        }
        List<SymExpr> sizes = c.sizes(0);
        List<SymExpr> out = new ArrayList<>(asked);
        int open = -1;
        for (int i = 0; i < out.size(); i++) {
            Long constant = Dims.constant(out.get(i));
            if (constant != null && constant == 0 && c.number("allowzero", 0) == 0) {
                out.set(i, c.knownSizes(0).get(i));
            } else if (constant != null && constant == -1) {
                open = i;
            }
        }
        SymExpr[] call = out.toArray(SymExpr[]::new);
        if (open >= 0 && sizes != null) {
            List<SymExpr> others = new ArrayList<>(out);
            others.remove(open);
            out.set(open, Dims.quotient(sizes, others));
        }
        c.write(
                "aten.reshape.default",
                c.dtype(0),
                open >= 0 && sizes == null ? null : out,
                "self",
                c.tensor(0),
                "shape",
                call);
    }

    private static void flatten(Call c) {
        List<SymExpr> sizes = c.knownSizes(0);
        int axis = Call.dim(c.number("axis", 1), sizes.size());
        List<SymExpr> out =
                List.of(Dims.product(sizes.subList(0, axis)), Dims.product(sizes.subList(axis, sizes.size())));
        c.write("aten.reshape.default", c.dtype(0), out, "self", c.tensor(0), "shape", out.toArray(SymExpr[]::new));
    }

    private static void transpose(Call c) {
        List<SymExpr> sizes = c.knownSizes(0);
        List<Long> order = new ArrayList<>(c.numbers("perm"));
        if (order.isEmpty()) {
            for (long i = sizes.size() - 1L; i >= 0; i--) {
                order.add(i);
            }
        }
        c.write(
                "aten.permute.default",
                c.dtype(0),
                order.stream().map(d -> sizes.get(d.intValue())).toList(),
                "self",
                c.tensor(0),
                "dims",
                order.stream().mapToLong(Long::longValue).toArray());
    }

    /** Dimensions that an attribute or an input names, in order; all where neither does. */
    private static List<Integer> axes(Call c, int rank, List<Integer> otherwise) {
        List<Long> given = c.constants("axes", 1);
        if (given == null || given.isEmpty()) {
            return otherwise;
        }
        return List.copyOf(
                new TreeSet<>(given.stream().map(d -> Call.dim(d, rank)).toList()));
    }

    private static void squeeze(Call c) {
        List<SymExpr> sizes = c.knownSizes(0);
        List<Integer> ones = new ArrayList<>();
        for (int i = 0; i < sizes.size(); i++) {
            if (sizes.get(i).equals(ONE)) {
                ones.add(i);
            }
        }
        List<Integer> gone = axes(c, sizes.size(), ones);
        List<SymExpr> out = new ArrayList<>();
        for (int i = 0; i < sizes.size(); i++) {
            if (!gone.contains(i)) {
                out.add(sizes.get(i));
            }
        }
        c.write("aten.squeeze.dims", c.dtype(0), out, "self", c.tensor(0), "dim", array(gone));
    }

    private static long[] array(List<Integer> dims) {
        return dims.stream().mapToLong(Integer::longValue).toArray();
    }

    private static void unsqueeze(Call c) {
        List<SymExpr> out = new ArrayList<>(c.knownSizes(0));
        List<Long> given = c.constants("axes", 1);
        if (given == null || given.isEmpty()) {
            throw new NoCounterpart();
        }
        int rank = out.size() + given.size();
        Value x = c.tensor(0);
        List<Integer> dims = axes(c, rank, List.of());
        for (int i = 0; i < dims.size(); i++) {
            out.add(dims.get(i), ONE);
            if (i == dims.size() - 1) {
                c.write("aten.unsqueeze.default", c.dtype(0), out, "self", x, "dim", dims.get(i));
            } else {
                x = c.step("aten.unsqueeze.default", "self", x, "dim", dims.get(i));
            }
        }
    }

    private static void concat(Call c) {
        List<SymExpr> out = new ArrayList<>(c.knownSizes(0));
        int axis = Call.dim(c.number("axis", 0), out.size());
        Value[] parts = new Value[c.inputs()];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = c.tensor(i);
            if (i > 0) {
                out.set(axis, Dims.plus(out.get(axis), c.knownSizes(i).get(axis)));
            }
        }
        c.write("aten.cat.default", c.dtype(0), out, "tensors", parts, "dim", axis);
    }

    private static void split(Call c) {
        List<SymExpr> sizes = c.knownSizes(0);
        int axis = Call.dim(c.number("axis", 0), sizes.size());
        List<SymExpr> parts = c.integers("split", 1);
        if (parts == null) {
            SymExpr count = SymExpr.of(c.outputs());
            SymExpr each = Dims.over(Dims.plus(sizes.get(axis), c.outputs() - 1), count);
            parts = new ArrayList<>(Collections.nCopies(c.outputs(), each));
            SymExpr before = Dims.times(each, SymExpr.of(c.outputs() - 1));
            parts.set(c.outputs() - 1, Dims.minus(sizes.get(axis), before));
        }
        List<Call.Result> results = new ArrayList<>();
        for (SymExpr part : parts) {
            List<SymExpr> out = new ArrayList<>(sizes);
            out.set(axis, part);
            results.add(new Call.Result(c.dtype(0), out));
        }
        c.write(
                "aten.split_with_sizes.default",
                results,
                "self",
                c.tensor(0),
                "split_sizes",
                parts.toArray(SymExpr[]::new),
                "dim",
                axis);
    }

    /** One call for each dimension. */
    private static void slice(Call c) {
        List<SymExpr> out = new ArrayList<>(c.knownSizes(0));
        List<SymExpr> starts = c.integers("starts", 1);
        List<SymExpr> ends = c.integers("ends", 2);
        List<Long> axes = c.constants("axes", 3);
        List<Long> steps = c.constants("steps", 4);
        if (starts == null || ends == null || starts.isEmpty()) {
            throw new NoCounterpart();
        }
        Value x = c.tensor(0);
        for (int i = 0; i < starts.size(); i++) {
            int axis = axes == null || axes.isEmpty() ? i : Call.dim(axes.get(i), out.size());
            long step = steps == null || steps.isEmpty() ? 1 : steps.get(i);
            if (step < 1) {
                throw new NoCounterpart();
            }
            SymExpr size = out.get(axis);
            SymExpr start = bound(starts.get(i), size);
            SymExpr end = bound(ends.get(i), size);
            out.set(axis, Dims.over(Dims.plus(Dims.minus(end, start), step - 1), SymExpr.of(step)));
            Object[] call = {"self", x, "dim", axis, "start", start, "end", end, "step", step};
            if (i == starts.size() - 1) {
                c.write("aten.slice.Tensor", c.dtype(0), out, call);
            } else {
                x = c.step("aten.slice.Tensor", call);
            }
        }
    }

    /** A bound that may count from the end, and may lie behind it. */
    static SymExpr bound(SymExpr bound, SymExpr size) {
        Long constant = Dims.constant(bound);
        if (constant != null && constant < 0) {
            return Dims.plus(size, bound);
        }
        if (constant != null && constant == 0 || bound.equals(size)) {
            return bound;
        }
        return constant != null && constant > Integer.MAX_VALUE ? size : Dims.least(bound, size);
    }

    /** Rows of a table are {@code embedding}; a number selects; other indices select along a dimension. */
    private static void gather(Call c) {
        List<SymExpr> sizes = c.knownSizes(0);
        int axis = Call.dim(c.number("axis", 0), sizes.size());
        List<SymExpr> indices = c.knownSizes(1);
        List<SymExpr> out = new ArrayList<>(sizes.subList(0, axis));
        out.addAll(indices);
        out.addAll(sizes.subList(axis + 1, sizes.size()));
        Content number = indices.isEmpty() ? c.number(1) : null;
        if (number != null) {
            c.write("aten.select.int", c.dtype(0), out, "self", c.tensor(0), "dim", axis, "index", number.number());
        } else if (axis == 0 && sizes.size() == 2 && c.known(0).weight() != null) {
            c.write("aten.embedding.default", c.dtype(0), out, "weight", c.tensor(0), "indices", c.tensor(1));
        } else if (indices.size() == 1) {
            c.write(
                    "aten.index_select.default",
                    c.dtype(0),
                    out,
                    "self",
                    c.tensor(0),
                    "dim",
                    axis,
                    "index",
                    c.tensor(1));
        } else {
            throw new NoCounterpart();
        }
    }

    private static void expand(Call c) {
        List<SymExpr> asked = c.integers("shape", 1);
        if (asked == null) {
            throw new NoCounterpart();
        }
        List<SymExpr> out = Dims.broadcast(c.knownSizes(0), asked);
        c.write("aten.expand.default", c.dtype(0), out, "self", c.tensor(0), "size", out.toArray(SymExpr[]::new));
    }

    private static void filled(Call c) {
        List<SymExpr> sizes = c.integers("shape", 0);
        DType type = filling(c);
        c.write(
                "aten.full.default",
                type,
                sizes,
                "size",
                sizes == null ? null : sizes.toArray(SymExpr[]::new),
                "fill_value",
                0,
                "dtype",
                type);
    }

    /** The type of what a tensor is filled with. */
    private static DType filling(Call c) {
        OnnxFile.Attribute value = c.attribute("value");
        return value == null || value.tensor() == null
                ? DType.FLOAT32
                : ElementTypes.of(value.tensor().type(), c.output(0));
    }

    private static void range(Call c) {
        SymExpr start = one(c, 0);
        SymExpr end = one(c, 1);
        SymExpr step = one(c, 2);
        SymExpr length = Dims.over(Dims.plus(Dims.minus(end, start), Dims.plus(step, -1)), step);
        c.write(
                "aten.arange.start_step",
                c.dtype(0),
                List.of(length),
                "start",
                start,
                "end",
                end,
                "step",
                step,
                "dtype",
                c.dtype(0));
    }

    private static SymExpr one(Call c, int input) {
        List<SymExpr> all = c.integers("", input);
        if (all == null || all.size() != 1) {
            throw new NoCounterpart();
        }
        return all.get(0);
    }

    /** A reduction over dimensions that an attribute or an input names, with further arguments. */
    static void reduce(Call c, String target, Object... further) {
        List<SymExpr> sizes = c.knownSizes(0);
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < sizes.size(); i++) {
            all.add(i);
        }
        if (c.number("noop_with_empty_axes", 0) == 1) {
            throw new NoCounterpart();
        }
        List<Integer> gone = axes(c, sizes.size(), all);
        boolean keep = c.number("keepdims", 1) == 1;
        List<SymExpr> out = new ArrayList<>();
        for (int i = 0; i < sizes.size(); i++) {
            if (!gone.contains(i)) {
                out.add(sizes.get(i));
            } else if (keep) {
                out.add(ONE);
            }
        }
        List<Object> pairs = new ArrayList<>(List.of("self", c.tensor(0), "dim", array(gone), "keepdim", keep));
        pairs.addAll(List.of(further));
        c.write(target, c.dtype(0), out, pairs.toArray());
    }
}
