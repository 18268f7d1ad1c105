package dev.headroom.estimator.compile.rule;

import dev.headroom.estimator.compile.trace.Joint;
import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Traced;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;

/** Softmax, losses and reductions. */
final class LossRules {
    /** {@code reduction} of losses (ATen/core/Reduction.h). */
    private static final int NONE = 0;

    private static final int MEAN = 1;

    private LossRules() {}

    static void register(Map<String, Rule> rules) {
        put(
                rules,
                "softmax",
                (ops, s) -> softmax(
                        ops, widened(ops, s), s.dim("dim", -1, s.value("self").dim())));
        put(
                rules,
                "log_softmax",
                (ops, s) -> logSoftmax(
                        ops, widened(ops, s), s.dim("dim", -1, s.value("self").dim())));
        put(rules, "cross_entropy_loss", LossRules::crossEntropy);
        put(rules, "mse_loss", (ops, s) -> {
            Traced d = ops.sub(s.tensor("self"), s.tensor("target"));
            Traced square = ops.unary(
                    d, ops.emit.with("pow", d.value(), 2), (g, y) -> ops.emit.mul(g, ops.emit.mul(d.value(), 2)));
            Set<Integer> all = Emit.all(square.value());
            return switch ((int) s.integer("reduction", MEAN)) {
                case NONE -> square;
                case MEAN -> ops.mean(square, all, false);
                default -> ops.sum(square, all, false);
            };
        });
        put(rules, "sum", (ops, s) -> ops.sum(typed(ops, s), dims(s), s.flag("keepdim", false)));
        put(rules, "mean", (ops, s) -> ops.mean(typed(ops, s), dims(s), s.flag("keepdim", false)));
        for (String name : new String[] {"any", "all", "argmax", "argmin"}) {
            DType type = name.startsWith("arg") ? DType.INT64 : DType.BOOL;
            put(
                    rules,
                    name,
                    (ops, s) -> Traced.constant(ops.joint.reduce(
                            "aten." + name, s.value("self"), dims(s), s.flag("keepdim", false), type)));
        }
    }

    private static void put(Map<String, Rule> rules, String name, Rule.Single rule) {
        rules.put("aten." + name, (ops, s) -> new Traced[] {rule.trace(ops, s)});
    }

    private static Set<Integer> dims(Site s) {
        return s.dims("dim", s.value("self").dim());
    }

    private static Traced typed(Ops ops, Site s) {
        DType type = s.type("dtype");
        return type == null ? s.tensor("self") : ops.convert(s.tensor("self"), type);
    }

    private static Traced widened(Ops ops, Site s) {
        return typed(ops, s);
    }

    /** {@code _softmax}. */
    static Traced softmax(Ops ops, Traced x, int dim) {
        Emit e = ops.emit;
        Value wide = e.wide(x.value());
        Value exp = e.unary("exp", e.sub(wide, e.amax(wide, dim)));
        Value out = e.binary("div", exp, e.sum(exp, Set.of(dim), true));
        Value result = e.convert(out, x.value().dtype());
        return ops.unary(x, result, (g, y) -> {
            Value product = e.mul(e.wide(g), e.wide(y));
            Value spread = e.mul(e.wide(y), e.sum(product, Set.of(dim), true));
            return e.convert(e.sub(product, spread), x.value().dtype());
        });
    }

    /** {@code _log_softmax}. */
    private static Traced logSoftmax(Ops ops, Traced x, int dim) {
        Emit e = ops.emit;
        Value wide = e.wide(x.value());
        Value shifted = e.sub(wide, e.amax(wide, dim));
        Value log = e.unary("log", e.sum(e.unary("exp", shifted), Set.of(dim), true));
        Value result = e.convert(e.sub(shifted, log), x.value().dtype());
        return ops.unary(x, result, (gradient, y) -> {
            Value g = e.wide(gradient);
            Value spread = e.mul(e.unary("exp", e.wide(y)), e.sum(g, Set.of(dim), true));
            return e.convert(e.sub(g, spread), x.value().dtype());
        });
    }

    /** {@code log_softmax} and {@code nll_loss} over classes in dimension 1, numbers of classes as targets. */
    private static Traced crossEntropy(Ops ops, Site s) {
        Emit e = ops.emit;
        Value target = s.value("target");
        Traced x = s.tensor("self");
        if (target.dtype().isFloatingPoint() || s.has("weight") || s.number("label_smoothing", 0) != 0) {
            throw new NoDecomposition("cross entropy with weights or probabilities");
        }
        int dim = x.value().dim() == 1 ? 0 : 1;
        Traced scores = logSoftmax(ops, x, dim);
        Joint joint = ops.joint;
        String reduction = "" + s.integer("reduction", 1);
        Value counts = e.compare("ne", target, s.integer("ignore_index", -100));
        Value safe = e.zeroWhere(counts, target);
        long[] one = scores.value().sizes();
        one[dim] = 1;
        Value at = joint.reshape(safe, one);
        Value picked =
                joint.make(Kind.GATHER, "aten.gather", "" + dim, x.value().dtype(), one, scores.value(), at);
        Value lost = e.zeroWhere(counts, e.unary("neg", joint.reshape(picked, target.sizes())));
        if (reduction.equals("0")) {
            throw new NoDecomposition("cross entropy that is not reduced");
        }
        Set<Integer> all = Emit.all(target);
        Value number = e.convert(e.sum(counts, all, false), x.value().dtype());
        Value total = e.sum(lost, all, false);
        Value out = e.binary("div", total, number);
        return ops.unary(scores, out, (g, y) -> {
            Value each = e.binary("div", g, number);
            Value known = e.compare("ne", joint.reshape(target, one), s.integer("ignore_index", -100));
            Value place = e.zeroWhere(known, joint.reshape(target, one));
            long[] classes = new long[one.length];
            Arrays.fill(classes, 1);
            classes[dim] = scores.value().size(dim);
            Value iota = joint.reshape(
                    joint.make(Kind.POINTWISE, "prims.iota", "", DType.INT64, new long[] {classes[dim]}), classes);
            Value hit = e.compare("eq", joint.expand(place, scores.value().sizes()), iota);
            Value minus = e.where(hit, joint.number("-1", g.dtype()), joint.number("0", g.dtype()));
            return e.mul(minus, e.zeroWhere(known, each));
        });
    }
}
