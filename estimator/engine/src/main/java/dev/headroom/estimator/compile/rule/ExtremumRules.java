package dev.headroom.estimator.compile.rule;

import dev.headroom.estimator.compile.trace.Joint;
import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Traced;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.graph.DType;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Largest and smallest elements: of two tensors, along dimensions, or of all (tools/autograd/derivatives.yaml,
 * FunctionsManual.cpp).
 */
final class ExtremumRules {
    private ExtremumRules() {}

    static void register(Map<String, Rule> rules) {
        for (String side : new String[] {"max", "min"}) {
            rules.put("aten." + side + "imum", (ops, s) -> new Traced[] {ofTwo(ops, s, side)});
            rules.put("aten.a" + side, (ops, s) -> new Traced[] {along(ops, s, side)});
            rules.put("aten." + side, (ops, s) -> {
                if (s.isTensor("other")) {
                    return new Traced[] {ofTwo(ops, s, side)};
                }
                return s.has("dim") ? withPlaces(ops, s, side) : new Traced[] {ofAll(ops, s, side)};
            });
        }
        for (String name : new String[] {"aten.clamp", "aten.clamp_min"}) {
            Rule numbers = Objects.requireNonNull(rules.get(name), name);
            rules.put(name, (ops, s) -> between(ops, s, numbers));
        }
    }

    /** {@code clamp} between tensors. */
    private static Traced[] between(Ops ops, Site s, Rule numbers) {
        if (!s.isTensor("min") && !s.isTensor("max")) {
            return numbers.trace(ops, s);
        }
        Traced least = s.isTensor("min") ? ofTwo(ops, s.tensor("self"), s.tensor("min"), "max") : s.tensor("self");
        return new Traced[] {s.isTensor("max") ? ofTwo(ops, least, s.tensor("max"), "min") : least};
    }

    private static Traced ofTwo(Ops ops, Site s, String side) {
        return ofTwo(ops, s.tensor("self"), s.tensor("other"), side);
    }

    /** Where both are equal, either gets half of the gradient. */
    private static Traced ofTwo(Ops ops, Traced a, Traced b, String side) {
        Emit e = ops.emit;
        String less = side.equals("max") ? "lt" : "gt";
        String more = side.equals("max") ? "gt" : "lt";
        return ops.tape.call(
                e.binary(side + "imum", a.value(), b.value()),
                g -> {
                    Value shared = e.where(e.compare("eq", a.value(), b.value()), e.with("div", g, 2), g);
                    Value first = a.requiresGrad() ? e.zeroWhere(e.compare(less, a.value(), b.value()), shared) : null;
                    Value second = b.requiresGrad() ? e.zeroWhere(e.compare(more, a.value(), b.value()), shared) : null;
                    return ops.sums(first, second, a, b);
                },
                a,
                b);
    }

    /** The gradient is shared by all elements that are as large ({@code scale_grad_by_count}). */
    private static Traced along(Ops ops, Site s, String side) {
        Traced x = s.tensor("self");
        Value v = x.value();
        Emit e = ops.emit;
        Set<Integer> dims = s.dims("dim", v.dim());
        boolean keep = s.flag("keepdim", false);
        return ops.unary(x, ops.joint.reduce("aten.a" + side, v, dims, keep, v.dtype()), (g, y) -> {
            Value mask = e.compare("eq", ops.spread(y, v, dims, keep), v);
            return e.binary("div", e.mul(ops.spread(g, v, dims, keep), mask), e.sum(mask, dims, true));
        });
    }

    /** {@code evenly_distribute_backward}. */
    private static Traced ofAll(Ops ops, Site s, String side) {
        Traced x = s.tensor("self");
        Value v = x.value();
        Emit e = ops.emit;
        Set<Integer> dims = Emit.all(v);
        return ops.unary(x, ops.joint.reduce("aten." + side, v, dims, false, v.dtype()), (g, y) -> {
            Value mask = e.compare("eq", v, y);
            return e.mul(mask, e.binary("div", g, e.sum(mask, dims, false)));
        });
    }

    /** Values and where they are: a reduction each; backward puts gradients into zeros at these places. */
    private static Traced[] withPlaces(Ops ops, Site s, String side) {
        Traced x = s.tensor("self");
        Value v = x.value();
        Set<Integer> dims = s.dims("dim", v.dim());
        boolean keep = s.flag("keepdim", false);
        Value values = ops.joint.reduce("aten." + side, v, dims, keep, v.dtype());
        Value places = ops.joint.reduce("aten.arg" + side, v, dims, keep, DType.INT64);
        Traced found = ops.unary(x, values, (g, y) -> {
            long[] kept = Joint.reduced(v.sizes(), dims, true);
            Value zeros = ops.joint.zeros(g.dtype(), v.sizes());
            Value at = ops.joint.reshape(places, kept);
            Value given = ops.joint.reshape(g, kept);
            return ops.joint.make(Kind.SCATTER, "aten.scatter", s.plain(), g.dtype(), v.sizes(), zeros, at, given);
        });
        return new Traced[] {found, Traced.constant(places)};
    }
}
