package dev.headroom.estimator.compile.rule;

import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Traced;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Tensors that are made, gathered, padded or drawn at random. */
final class IndexRules {
    private IndexRules() {}

    static void register(Map<String, Rule> rules) {
        put(rules, "embedding", (ops, s) -> {
            long[] at = s.value("indices").sizes();
            long[] sizes = Arrays.copyOf(at, at.length + 1);
            sizes[at.length] = s.value("weight").size(1);
            return gathered(ops, s.tensor("weight"), "aten.embedding", sizes, true, s.value("indices"));
        });
        put(rules, "index", IndexRules::index);
        put(
                rules,
                "gather",
                (ops, s) -> gathered(
                        ops, s.tensor("self"), "aten.gather", s.value("index").sizes(), false, s.value("index")));
        put(rules, "index_select", (ops, s) -> {
            long[] sizes = s.value("self").sizes();
            sizes[s.dim("dim", 0, sizes.length)] = s.value("index").numel();
            return gathered(ops, s.tensor("self"), "aten.index", sizes, false, s.value("index"));
        });
        put(rules, "pad", IndexRules::pad);
        put(rules, "constant_pad_nd", IndexRules::pad);
        put(rules, "dropout", IndexRules::dropout);
        put(rules, "dropout_", IndexRules::dropout);
        put(
                rules,
                "roll",
                (ops, s) -> ops.unary(
                        s.tensor("self"),
                        roll(ops, s.value("self"), s.plain()),
                        (g, y) -> roll(ops, g, "-" + s.plain())));
        put(rules, "cumsum", (ops, s) -> {
            Value v = s.value("self");
            DType type = v.dtype().isFloatingPoint() ? v.dtype() : DType.INT64;
            Value sums = ops.joint.make(Kind.REDUCTION, "aten.cumsum", s.plain(), type, v.sizes(), v);
            return ops.unary(s.tensor("self"), sums, (g, y) -> {
                Value last = flip(ops, g, s.plain());
                Value back = ops.joint.make(Kind.REDUCTION, "aten.cumsum", s.plain(), type, v.sizes(), last);
                return flip(ops, back, s.plain());
            });
        });
        put(rules, "diff", IndexRules::differences);
        for (String name : new String[] {"ones", "zeros", "full", "empty", "new_ones", "new_zeros", "new_full"}) {
            put(rules, name, (ops, s) -> made(ops, s, s.integers("size"), DType.FLOAT32));
        }
        for (String name : new String[] {"ones_like", "zeros_like", "full_like", "empty_like"}) {
            put(
                    rules,
                    name,
                    (ops, s) -> made(
                            ops, s, s.value("self").sizes(), s.value("self").dtype()));
        }
        put(rules, "scalar_tensor", (ops, s) -> made(ops, s, new long[0], DType.FLOAT32));
        put(rules, "arange", (ops, s) -> {
            double step = s.number("step", 1);
            long n = (long) Math.ceil((s.number("end", 0) - s.number("start", 0)) / step);
            return Traced.constant(
                    ops.joint.make(Kind.POINTWISE, "prims.iota", s.plain(), typed(s, DType.INT64), new long[] {n}));
        });
        put(
                rules,
                "bernoulli_",
                (ops, s) -> Traced.constant(
                        random(ops, s.value("self").sizes(), s.value("self").dtype())));
    }

    private static void put(Map<String, Rule> rules, String name, Rule.Single rule) {
        rules.put("aten." + name, (ops, s) -> new Traced[] {rule.trace(ops, s)});
    }

    private static DType typed(Site s, DType otherwise) {
        DType given = s.type("dtype");
        return given != null ? given : s.isTensor("self") ? s.value("self").dtype() : filled(s, otherwise);
    }

    /** What {@code full} makes of a value (ATen/native/TensorFactories.cpp, infer_full_options). */
    private static DType filled(Site s, DType otherwise) {
        Argument value = s.node().argument("fill_value");
        return value instanceof Argument.Bool ? DType.BOOL : value instanceof Argument.Int ? DType.INT64 : otherwise;
    }

    private static Traced made(Ops ops, Site s, long[] sizes, DType otherwise) {
        String key = s.node().operator() + s.plain();
        return Traced.constant(ops.joint.make(Kind.POINTWISE, "aten.full", key, typed(s, otherwise), sizes));
    }

    /** Each element's difference from the one before it, as often as is asked for. */
    private static Traced differences(Ops ops, Site s) {
        Traced x = s.tensor("self");
        int dim = s.dim("dim", -1, x.value().dim());
        List<Traced> parts = new ArrayList<>();
        for (String name : new String[] {"prepend", "self", "append"}) {
            if (s.isTensor(name)) {
                parts.add(s.tensor(name));
            }
        }
        long times = s.integer("n", 1);
        if (times == 0) {
            return ops.unary(x, ops.joint.copy(x.value(), x.value().strides()), (g, y) -> g);
        }
        Traced out = parts.size() == 1 ? x : ops.cat(dim, parts.toArray(Traced[]::new));
        for (long i = 0; i < times && out.value().size(dim) > 0; i++) {
            long n = out.value().size(dim);
            out = ops.sub(ops.slice(out, dim, 1, n, 1), ops.slice(out, dim, 0, n - 1, 1));
        }
        return out;
    }

    private static Value flip(Ops ops, Value of, String key) {
        return ops.joint.make(Kind.GATHER, "aten.flip", key, of.dtype(), of.sizes(), of);
    }

    private static Value roll(Ops ops, Value of, String key) {
        return ops.joint.make(Kind.GATHER, "aten.roll", key, of.dtype(), of.sizes(), of);
    }

    /**
     * Gathers; backward adds into zeros.
     *
     * @param wide whether the gradient of half precision is summed in float32 (embedding_dense_backward)
     */
    static Traced gathered(Ops ops, Traced x, String op, long[] sizes, boolean wide, Value... indices) {
        Value v = x.value();
        Value[] operands = new Value[indices.length + 1];
        operands[0] = v;
        System.arraycopy(indices, 0, operands, 1, indices.length);
        Value out = ops.joint.make(Kind.GATHER, op, "", v.dtype(), sizes, operands);
        return ops.unary(x, out, (g, y) -> {
            Value summed = wide ? ops.emit.wide(g) : g;
            Value[] scattered = operands.clone();
            scattered[0] = ops.joint.zeros(summed.dtype(), v.sizes());
            scattered = Arrays.copyOf(scattered, scattered.length + 1);
            scattered[scattered.length - 1] = summed;
            Value into = ops.joint.make(
                    Kind.SCATTER, "aten._unsafe_masked_index_put_accumulate", "", summed.dtype(), v.sizes(), scattered);
            return ops.emit.convert(into, v.dtype());
        });
    }

    private static Traced index(Ops ops, Site s) {
        Value v = s.value("self");
        List<@Nullable Traced> indices = s.tensors("indices");
        List<Value> given = new ArrayList<>();
        long[] at = new long[0];
        int first = -1;
        for (int i = 0; i < indices.size(); i++) {
            Traced index = indices.get(i);
            if (index != null) {
                if (index.value().dtype() == DType.BOOL) {
                    throw new NoDecomposition("an index by a mask");
                }
                first = first < 0 ? i : first;
                given.add(index.value());
                at = Shapes.broadcast(at, index.value().sizes());
            }
        }
        List<Long> sizes = new ArrayList<>();
        for (int i = 0; i < v.dim(); i++) {
            boolean indexed = i < indices.size() && indices.get(i) != null;
            if (i == first) {
                Arrays.stream(at).forEach(sizes::add);
            }
            if (!indexed) {
                sizes.add(v.size(i));
            }
        }
        long[] out = sizes.stream().mapToLong(n -> n).toArray();
        return gathered(ops, s.tensor("self"), "aten.index", out, false, given.toArray(Value[]::new));
    }

    private static Traced pad(Ops ops, Site s) {
        Traced x = s.tensor("self");
        Value v = x.value();
        long[] pad = s.integers("pad");
        long[] sizes = v.sizes();
        for (int i = 0; i < pad.length / 2; i++) {
            sizes[sizes.length - 1 - i] += pad[2 * i] + pad[2 * i + 1];
        }
        Value out = ops.joint.make(Kind.POINTWISE, "aten.constant_pad_nd", s.plain(), v.dtype(), sizes, v);
        return ops.unary(x, out, (g, y) -> {
            Value part = g;
            for (int i = 0; i < pad.length / 2; i++) {
                int dim = sizes.length - 1 - i;
                part = ops.joint.slice(part, dim, pad[2 * i], pad[2 * i] + v.size(dim), 1);
            }
            return part;
        });
    }

    private static Traced dropout(Ops ops, Site s) {
        Traced x = s.tensor(s.isTensor("input") ? "input" : "self");
        return dropped(ops, x, s.number("p", 0.5), s.flag("train", true));
    }

    /** {@code native_dropout}: random numbers, a mask of a byte an element, two products. */
    static Traced dropped(Ops ops, Traced x, double p, boolean train) {
        if (!train || p == 0) {
            return x;
        }
        Emit e = ops.emit;
        Value v = x.value();
        Value mask = e.compare("gt", random(ops, v.sizes(), v.dtype()), p);
        double scale = 1 / (1 - p);
        Value out = e.mul(e.mul(mask, v), scale);
        return ops.tape.call(
                out, g -> new Value[] {Objects.requireNonNull(e.mul(g, e.mul(e.convert(mask, g.dtype()), scale)))}, x);
    }

    private static Value random(Ops ops, long[] sizes, DType type) {
        return ops.joint.make(Kind.RANDOM, "prims.inductor_random", "", type, sizes);
    }
}
