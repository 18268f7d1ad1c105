package dev.headroom.estimator.compile.rule;

import dev.headroom.estimator.compile.trace.Traced;
import dev.headroom.estimator.compile.trace.Value;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Normalisations: statistics by a reduction, the rest elementwise. */
final class NormalizationRules {
    private NormalizationRules() {}

    static void register(Map<String, Rule> rules) {
        rules.put("aten.layer_norm", (ops, s) -> new Traced[] {layer(ops, s)});
        rules.put("aten.batch_norm", (ops, s) -> new Traced[] {batch(ops, s)});
        rules.put("aten.group_norm", (ops, s) -> new Traced[] {group(ops, s)});
        rules.put("aten.rms_norm", (ops, s) -> new Traced[] {rms(ops, s)});
    }

    /** {@code native_layer_norm} and its backward (torch/_decomp/decompositions.py). */
    private static Traced layer(Ops ops, Site s) {
        Emit e = ops.emit;
        Traced x = s.tensor("input");
        Traced weight = s.tensorOrNull("weight");
        Traced bias = s.tensorOrNull("bias");
        Value v = x.value();
        Set<Integer> inner = Emit.range(v.dim() - s.integers("normalized_shape").length, v.dim());
        Set<Integer> outer = Emit.range(0, v.dim() - inner.size());
        Value wide = e.wide(v);
        Value[] stats = e.varMean(wide, inner);
        Value scale = e.unary("rsqrt", e.with("add", stats[0], s.number("eps", 1e-5)));
        Value normal = e.mul(e.sub(wide, stats[1]), scale);
        Value out = weight == null ? normal : e.mul(normal, weight.value());
        out = bias == null ? out : e.add(out, bias.value());
        long n = inner.stream().mapToLong(v::size).reduce(1, (a, b) -> a * b);
        return ops.tape.call(
                e.convert(out, v.dtype()),
                gradient -> {
                    Value g = e.wide(gradient);
                    Value hat = e.mul(e.sub(e.wide(v), stats[1]), scale);
                    Value dx = null;
                    if (x.requiresGrad()) {
                        Value scaled = weight == null ? g : e.mul(g, weight.value());
                        Value a = e.mul(scaled, n);
                        Value b = e.sum(scaled, inner, true);
                        Value c = e.mul(hat, e.sum(e.mul(scaled, hat), inner, true));
                        Value rest = e.sub(e.sub(a, b), c);
                        dx = e.convert(e.mul(e.with("div", scale, n), rest), v.dtype());
                    }
                    return new Value[] {dx, perFeature(e, e.mul(g, hat), outer, weight), perFeature(e, g, outer, bias)};
                },
                operands(x, weight, bias));
    }

    private static Traced[] operands(Traced x, @Nullable Traced weight, @Nullable Traced bias) {
        Traced none = Traced.constant(x.value());
        return new Traced[] {x, weight == null ? none : weight, bias == null ? none : bias};
    }

    private static @Nullable Value perFeature(Emit e, Value of, Set<Integer> dims, @Nullable Traced parameter) {
        if (parameter == null || !parameter.requiresGrad()) {
            return null;
        }
        Value sum = dims.isEmpty() ? of : e.sum(of, dims, false);
        return e.convert(
                e.joint().reshape(sum, parameter.value().sizes()),
                parameter.value().dtype());
    }

    /** {@code native_batch_norm} with statistics of the batch, and its backward; without them it is elementwise. */
    private static Traced batch(Ops ops, Site s) {
        Emit e = ops.emit;
        Traced x = s.tensor("input");
        Traced weight = s.tensorOrNull("weight");
        Traced bias = s.tensorOrNull("bias");
        Value v = x.value();
        Set<Integer> dims = Emit.all(v);
        dims.remove(1);
        boolean training = s.flag("training", true);
        Value wide = e.wide(v);
        Value mean;
        Value scale;
        if (training) {
            Value[] stats = e.varMean(wide, dims);
            mean = stats[1];
            scale = e.unary("rsqrt", e.with("add", stats[0], s.number("eps", 1e-5)));
        } else {
            mean = channel(e, s.value("running_mean"), v.dim());
            scale = channel(e, e.unary("rsqrt", e.with("add", s.value("running_var"), s.number("eps", 1e-5))), v.dim());
        }
        Value out = e.mul(e.sub(wide, mean), scale);
        out = weight == null ? out : e.mul(out, channel(e, weight.value(), v.dim()));
        out = bias == null ? out : e.add(out, channel(e, bias.value(), v.dim()));
        long n = v.numel() / v.size(1);
        return ops.tape.call(
                e.convert(out, v.dtype()),
                gradient -> batchBackward(e, e.wide(gradient), x, weight, bias, mean, scale, training ? n : 0),
                operands(x, weight, bias));
    }

    private static @Nullable Value[] batchBackward(
            Emit e,
            Value g,
            Traced x,
            @Nullable Traced weight,
            @Nullable Traced bias,
            Value mean,
            Value scale,
            long n) {
        Value v = x.value();
        Set<Integer> dims = Emit.all(v);
        dims.remove(1);
        Value mean1 = e.joint().reshape(mean, v.size(1));
        Value scale1 = e.joint().reshape(scale, v.size(1));
        Value centred = e.sub(e.wide(v), channel(e, mean1, v.dim()));
        Value sum = e.sum(g, dims, false);
        Value dot = e.sum(e.mul(g, centred), dims, false);
        Value dx = null;
        if (x.requiresGrad()) {
            Value gain = weight == null ? scale1 : e.mul(scale1, weight.value());
            Value rest = g;
            if (n > 0) {
                Value slope = e.mul(e.mul(dot, 1.0 / n), e.mul(scale1, scale1));
                rest = e.sub(
                        e.sub(g, e.mul(centred, channel(e, slope, v.dim()))), channel(e, e.mul(sum, 1.0 / n), v.dim()));
            }
            dx = e.convert(e.mul(rest, channel(e, gain, v.dim())), v.dtype());
        }
        return new Value[] {
            dx,
            weight == null || !weight.requiresGrad()
                    ? null
                    : e.convert(e.mul(dot, scale1), weight.value().dtype()),
            bias == null || !bias.requiresGrad()
                    ? null
                    : e.convert(sum, bias.value().dtype())
        };
    }

    /** A number for each channel, in the sizes of an image. */
    private static Value channel(Emit e, Value perChannel, int dims) {
        if (perChannel.dim() != 1) {
            return perChannel;
        }
        Value out = perChannel;
        for (int i = 2; i < dims; i++) {
            out = e.joint().unsqueeze(out, out.dim());
        }
        return e.joint().unsqueeze(out, 0);
    }

    private static Traced group(Ops ops, Site s) {
        Emit e = ops.emit;
        Traced x = s.tensor("input");
        Traced weight = s.tensorOrNull("weight");
        Traced bias = s.tensorOrNull("bias");
        Value v = x.value();
        long groups = s.integer("num_groups", 1);
        long[] grouped = {v.size(0), groups, v.size(1) / groups * spatial(v)};
        Set<Integer> inner = Set.of(2);
        Value wide = e.joint().reshape(e.wide(v), grouped);
        Value[] stats = e.varMean(wide, inner);
        Value scale = e.unary("rsqrt", e.with("add", stats[0], s.number("eps", 1e-5)));
        Value normal = e.joint().reshape(e.mul(e.sub(wide, stats[1]), scale), v.sizes());
        Value out = weight == null ? normal : e.mul(normal, channel(e, weight.value(), v.dim()));
        out = bias == null ? out : e.add(out, channel(e, bias.value(), v.dim()));
        return ops.tape.call(
                e.convert(out, v.dtype()),
                gradient -> groupBackward(e, e.wide(gradient), x, weight, bias, stats[1], scale),
                operands(x, weight, bias));
    }

    /** Elements of a channel. */
    private static long spatial(Value v) {
        long out = 1;
        for (int i = 2; i < v.dim(); i++) {
            out *= v.size(i);
        }
        return out;
    }

    /** {@code native_group_norm_backward}: sums for each channel, from which three factors for each group follow. */
    private static @Nullable Value[] groupBackward(
            Emit e, Value g, Traced x, @Nullable Traced weight, @Nullable Traced bias, Value mean, Value scale) {
        Value v = e.wide(x.value());
        long n = v.size(0);
        long channels = v.size(1);
        long groups = mean.size(1);
        long[] flat = {n, channels, spatial(v)};
        long[] apart = {n, groups, channels / groups, flat[2]};
        long[] grouped = Arrays.copyOf(apart, 3);
        Value ds = e.joint().reshape(e.sum(e.joint().reshape(e.mul(g, v), flat), Set.of(2), false), grouped);
        Value db = e.joint().reshape(e.sum(e.joint().reshape(g, flat), Set.of(2), false), grouped);
        Value dx = null;
        if (x.requiresGrad()) {
            Value gain = weight == null ? null : e.joint().reshape(weight.value(), 1, groups, channels / groups);
            Value dsValue = e.sum(gain == null ? ds : e.mul(ds, gain), Set.of(2), true);
            Value dbValue = e.sum(gain == null ? db : e.mul(db, gain), Set.of(2), true);
            Value first = gain == null ? scale : e.mul(scale, gain);
            Value cubed = e.mul(e.mul(scale, scale), scale);
            Value second = e.mul(e.mul(e.sub(e.mul(dbValue, mean), dsValue), cubed), 1.0 / flat[2]);
            Value third = e.sub(e.mul(e.unary("neg", second), mean), e.mul(e.mul(dbValue, scale), 1.0 / flat[2]));
            Value scaled = e.mul(e.joint().reshape(g, apart), e.joint().unsqueeze(first, 3));
            Value moved = e.mul(e.joint().reshape(v, apart), e.joint().unsqueeze(second, 3));
            Value made = e.add(e.add(scaled, moved), e.joint().unsqueeze(third, 3));
            dx = e.convert(e.joint().reshape(made, v.sizes()), x.value().dtype());
        }
        Value each = e.mul(e.sub(ds, e.mul(db, mean)), scale);
        return new Value[] {dx, perFeature(e, each, Set.of(0), weight), perFeature(e, db, Set.of(0), bias)};
    }

    /** {@code _fused_rms_norm} and its backward. */
    private static Traced rms(Ops ops, Site s) {
        Emit e = ops.emit;
        Traced x = s.tensor("input");
        Traced weight = s.tensorOrNull("weight");
        Value v = x.value();
        Set<Integer> inner = Emit.range(v.dim() - s.integers("normalized_shape").length, v.dim());
        Set<Integer> outer = Emit.range(0, v.dim() - inner.size());
        long n = inner.stream().mapToLong(v::size).reduce(1, (a, b) -> a * b);
        Value wide = e.wide(v);
        Value square = e.joint().reduce("aten.mean", e.with("pow", wide, 2), inner, true, wide.dtype());
        Value scale = e.unary("rsqrt", e.with("add", square, s.number("eps", 1e-6)));
        Value normal = e.mul(wide, scale);
        Value out = weight == null ? normal : e.mul(normal, weight.value());
        return ops.tape.call(
                e.convert(out, v.dtype()),
                gradient -> {
                    Value g = e.wide(gradient);
                    Value hat = e.mul(e.wide(v), scale);
                    Value scaled = weight == null ? g : e.mul(g, weight.value());
                    Value c = e.mul(e.with("div", hat, n), e.sum(e.mul(hat, scaled), inner, true));
                    Value dx = e.convert(e.mul(e.sub(scaled, c), scale), v.dtype());
                    return new Value[] {x.requiresGrad() ? dx : null, perFeature(e, e.mul(g, hat), outer, weight)};
                },
                x,
                weight == null ? Traced.constant(v) : weight);
    }
}
