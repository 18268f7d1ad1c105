package dev.headroom.estimator.compile.rule;

import dev.headroom.estimator.compile.trace.Traced;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Dimensions;
import dev.headroom.model.graph.Shapes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Views, copies between layouts and types, and joining of tensors. */
final class ViewRules {
    private ViewRules() {}

    static void register(Map<String, Rule> rules) {
        for (String op : new String[] {"view", "reshape", "_unsafe_view"}) {
            put(rules, op, (ops, s) -> ops.reshape(s.tensor("self"), sizes(s)));
        }
        put(rules, "flatten", ViewRules::flatten);
        put(rules, "unflatten", ViewRules::unflatten);
        put(rules, "permute", (ops, s) -> ops.permute(s.tensor("self"), wrapped(s, "dims")));
        put(rules, "transpose", (ops, s) -> ops.transpose(s.tensor("self"), dim(s, "dim0"), dim(s, "dim1")));
        put(
                rules,
                "t",
                (ops, s) -> s.value("self").dim() < 2 ? s.tensor("self") : ops.transpose(s.tensor("self"), 0, 1));
        put(rules, "expand", (ops, s) -> ops.expand(s.tensor("self"), s.integers("size")));
        put(
                rules,
                "expand_as",
                (ops, s) -> ops.expand(s.tensor("self"), s.value("other").sizes()));
        put(
                rules,
                "unsqueeze",
                (ops, s) -> ops.unsqueeze(
                        s.tensor("self"),
                        Shapes.wrap(s.integer("dim", 0), s.value("self").dim() + 1)));
        put(rules, "squeeze", ViewRules::squeeze);
        put(rules, "select", (ops, s) -> {
            long at = s.integer("index", 0);
            int dim = dim(s, "dim");
            return ops.select(
                    s.tensor("self"), dim, at < 0 ? at + s.value("self").size(dim) : at);
        });
        put(rules, "slice", ViewRules::slice);
        put(rules, "narrow", (ops, s) -> {
            long start = s.integer("start", 0);
            return ops.slice(s.tensor("self"), dim(s, "dim"), start, start + s.integer("length", 1), 1);
        });
        rules.put("aten.split", ViewRules::split);
        rules.put("aten.split_with_sizes", ViewRules::split);
        rules.put("aten.chunk", ViewRules::chunk);
        rules.put("aten.unbind", ViewRules::unbind);
        put(rules, "contiguous", (ops, s) -> ops.contiguous(s.tensor("self")));
        put(rules, "detach", (ops, s) -> Traced.constant(s.value("self")));
        put(rules, "detach_", (ops, s) -> Traced.constant(s.value("self")));
        put(rules, "alias", (ops, s) -> s.tensor("self"));
        put(
                rules,
                "requires_grad_",
                (ops, s) -> s.tensor("self").requiresGrad() ? s.tensor("self") : ops.tape.leaf(s.value("self")));
        put(rules, "to", ViewRules::to);
        put(
                rules,
                "type_as",
                (ops, s) -> ops.convert(s.tensor("self"), s.value("other").dtype()));
        put(rules, "float", (ops, s) -> ops.convert(s.tensor("self"), DType.FLOAT32));
        put(rules, "cat", (ops, s) -> {
            Traced[] parts = withoutNothing(s.all("tensors"), s.integer("dim", 0));
            return ops.cat(Shapes.wrap(s.integer("dim", 0), parts[0].value().dim()), parts);
        });
        put(rules, "stack", (ops, s) -> {
            Traced[] parts = s.all("tensors");
            int dim = Shapes.wrap(s.integer("dim", 0), parts[0].value().dim() + 1);
            return ops.cat(
                    dim, Arrays.stream(parts).map(p -> ops.unsqueeze(p, dim)).toArray(Traced[]::new));
        });
    }

    /** What is joined, without tensors that have nothing in the dimension (torch/_inductor/decomposition.py, cat). */
    static Traced[] withoutNothing(Traced[] parts, long along) {
        Traced[] some = Arrays.stream(parts)
                .filter(p -> {
                    long[] sizes = p.value().sizes();
                    return !Arrays.equals(sizes, new long[] {0}) && sizes[Shapes.wrap(along, sizes.length)] > 0;
                })
                .toArray(Traced[]::new);
        return some.length == 0 ? parts : some;
    }

    private static void put(Map<String, Rule> rules, String name, Rule.Single rule) {
        rules.put("aten." + name, (ops, s) -> new Traced[] {rule.trace(ops, s)});
    }

    private static int dim(Site s, String name) {
        return s.dim(name, 0, s.value("self").dim());
    }

    private static int[] wrapped(Site s, String name) {
        return Arrays.stream(s.integers(name))
                .mapToInt(d -> Shapes.wrap(d, s.value("self").dim()))
                .toArray();
    }

    private static long[] sizes(Site s) {
        return s.has("size") ? s.integers("size") : s.integers("shape");
    }

    private static Traced flatten(Ops ops, Site s) {
        long[] sizes = s.value("self").sizes();
        int start = s.dim("start_dim", 0, sizes.length);
        int end = s.dim("end_dim", -1, sizes.length);
        List<Long> out = new ArrayList<>();
        long joined = 1;
        for (int i = 0; i < sizes.length; i++) {
            joined = i >= start && i <= end ? joined * sizes[i] : joined;
            if (i < start || i > end) {
                out.add(sizes[i]);
            } else if (i == end) {
                out.add(joined);
            }
        }
        return ops.reshape(s.tensor("self"), out.stream().mapToLong(n -> n).toArray());
    }

    private static Traced unflatten(Ops ops, Site s) {
        long[] sizes = s.value("self").sizes();
        long[] out = Dimensions.unflattened(sizes, dim(s, "dim"), s.integers("sizes"));
        return ops.reshape(s.tensor("self"), out);
    }

    private static Traced squeeze(Ops ops, Site s) {
        Traced x = s.tensor("self");
        if (s.has("dim")) {
            long[] dims = s.integers("dim");
            int[] wrapped = Arrays.stream(dims)
                    .mapToInt(d -> Shapes.wrap(d, s.value("self").dim()))
                    .sorted()
                    .toArray();
            for (int i = wrapped.length - 1; i >= 0; i--) {
                x = ops.squeeze(x, wrapped[i]);
            }
            return x;
        }
        for (int d = x.value().dim() - 1; d >= 0; d--) {
            x = ops.squeeze(x, d);
        }
        return x;
    }

    private static Traced slice(Ops ops, Site s) {
        Value v = s.value("self");
        int dim = dim(s, "dim");
        long size = v.size(dim);
        long start = s.integer("start", 0);
        long end = s.integer("end", size);
        start = Math.min(size, Math.max(0, start < 0 ? start + size : start));
        end = Math.min(size, Math.max(start, end < 0 ? end + size : end));
        return ops.slice(s.tensor("self"), dim, start, end, s.integer("step", 1));
    }

    private static Traced[] split(Ops ops, Site s) {
        int dim = dim(s, "dim");
        long size = s.value("self").size(dim);
        long[] asked = s.has("split_sizes") ? s.integers("split_sizes") : s.integers("split_size");
        return ops.split(s.tensor("self"), dim, asked.length == 1 ? parts(size, asked[0]) : asked);
    }

    private static Traced[] chunk(Ops ops, Site s) {
        int dim = dim(s, "dim");
        long size = s.value("self").size(dim);
        long chunks = s.integer("chunks", 1);
        return ops.split(s.tensor("self"), dim, parts(size, (size + chunks - 1) / chunks));
    }

    private static long[] parts(long size, long each) {
        long[] out = new long[(int) ((size + each - 1) / each)];
        for (int i = 0; i < out.length; i++) {
            out[i] = Math.min(each, size - i * each);
        }
        return out;
    }

    private static Traced[] unbind(Ops ops, Site s) {
        int dim = dim(s, "dim");
        Traced[] out = new Traced[(int) s.value("self").size(dim)];
        for (int i = 0; i < out.length; i++) {
            out[i] = ops.select(s.tensor("self"), dim, i);
        }
        return out;
    }

    private static Traced to(Ops ops, Site s) {
        DType type = s.isTensor("other") ? s.value("other").dtype() : s.type("dtype");
        return type == null ? s.tensor("self") : ops.convert(s.tensor("self"), type);
    }
}
