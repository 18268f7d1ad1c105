package dev.headroom.estimator.compile.rule;

import dev.headroom.estimator.compile.trace.Joint;
import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Tape;
import dev.headroom.estimator.compile.trace.Traced;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.Arrays;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Calls that autograd records: views, arithmetic and products with their derivatives. */
final class Ops {
    final Emit emit;
    final Joint joint;
    final Tape tape;

    Ops(Joint joint, Tape tape) {
        this.emit = new Emit(joint);
        this.joint = joint;
        this.tape = tape;
    }

    private Traced of(Traced input, Value result, UnaryOperator<Value> backward) {
        return result == input.value() ? input : tape.call(result, g -> one(backward.apply(g)), input);
    }

    private static @Nullable Value[] one(Value gradient) {
        return new Value[] {gradient};
    }

    // Views.

    Traced reshape(Traced x, long... sizes) {
        Value v = x.value();
        long[] to = Shapes.inferSize(sizes, v.numel());
        if (Arrays.equals(to, v.sizes())) {
            return x;
        }
        if (Shapes.viewStrides(v.sizes(), v.strides(), to) == null) {
            return reshape(contiguous(x), to);
        }
        return of(x, joint.reshape(v, to), g -> joint.reshape(g, v.sizes()));
    }

    Traced permute(Traced x, int... dims) {
        int[] back = new int[dims.length];
        for (int i = 0; i < dims.length; i++) {
            back[dims[i]] = i;
        }
        return of(x, joint.permute(x.value(), dims), g -> joint.permute(g, back));
    }

    Traced transpose(Traced x, int a, int b) {
        if (x.value().dim() == 0) {
            return x;
        }
        int[] dims = new int[x.value().dim()];
        Arrays.setAll(dims, i -> i);
        dims[a] = b;
        dims[b] = a;
        return permute(x, dims);
    }

    Traced expand(Traced x, long... sizes) {
        long[] to = sizes.clone();
        int lead = to.length - x.value().dim();
        for (int i = lead; i < to.length; i++) {
            to[i] = to[i] == -1 ? x.value().size(i - lead) : to[i];
        }
        return of(x, joint.expand(x.value(), to), g -> emit.sumTo(g, x.value().sizes()));
    }

    Traced unsqueeze(Traced x, int dim) {
        return of(x, joint.unsqueeze(x.value(), dim), g -> joint.squeeze(g, dim));
    }

    Traced squeeze(Traced x, int dim) {
        return of(x, joint.squeeze(x.value(), dim), g -> joint.unsqueeze(g, dim));
    }

    Traced select(Traced x, int dim, long index) {
        Value v = x.value();
        return of(x, joint.select(v, dim, index), g -> scattered(v, g, "select_scatter", dim + "@" + index));
    }

    Traced slice(Traced x, int dim, long start, long end, long step) {
        Value v = x.value();
        String key = dim + "@" + start + ":" + end + ":" + step;
        return of(x, joint.slice(v, dim, start, end, step), g -> scattered(v, g, "slice_scatter", key));
    }

    /** Zeros with a gradient in a part of them: computed where it is read. */
    private Value scattered(Value like, Value gradient, String op, String key) {
        Value zeros = joint.zeros(gradient.dtype(), like.sizes());
        return joint.make(Kind.POINTWISE, "aten." + op, key, gradient.dtype(), like.sizes(), zeros, gradient);
    }

    /** Parts along a dimension, which share storage. */
    Traced[] split(Traced x, int dim, long[] sizes) {
        Value v = x.value();
        Value[] parts = new Value[sizes.length];
        long at = 0;
        for (int i = 0; i < parts.length; i++) {
            parts[i] = joint.slice(v, dim, at, at + sizes[i], 1);
            at += sizes[i];
        }
        return tape.call(
                parts,
                g -> {
                    Value[] all = new Value[g.length];
                    for (int i = 0; i < all.length; i++) {
                        Value given = g[i];
                        all[i] = given != null ? given : joint.zeros(v.dtype(), parts[i].sizes());
                    }
                    return one(concatenated(dim, all));
                },
                x);
    }

    Value concatenated(int dim, Value... parts) {
        long[] sizes = parts[0].sizes();
        sizes[dim] = 0;
        for (Value p : parts) {
            sizes[dim] += p.size(dim);
        }
        return joint.make(Kind.POINTWISE, "aten.cat", "" + dim, parts[0].dtype(), sizes, parts);
    }

    Traced cat(int dim, Traced... parts) {
        Value[] values = Arrays.stream(parts).map(Traced::value).toArray(Value[]::new);
        return tape.call(
                concatenated(dim, values),
                g -> {
                    @Nullable Value[] out = new Value[parts.length];
                    long at = 0;
                    for (int i = 0; i < out.length; i++) {
                        long size = values[i].size(dim);
                        out[i] = joint.slice(g, dim, at, at + size, 1);
                        at += size;
                    }
                    return out;
                },
                parts);
    }

    Traced contiguous(Traced x) {
        return x.value().isContiguous() ? x : of(x, joint.contiguous(x.value()), g -> g);
    }

    Traced convert(Traced x, DType type) {
        DType from = x.value().dtype();
        return of(x, joint.convert(x.value(), type), g -> joint.convert(g, from));
    }

    // Arithmetic.

    /** An elementwise operator of one operand. */
    Traced unary(Traced x, Value result, BiFunction<Value, Value, Value> backward) {
        return of(x, result, g -> backward.apply(g, result));
    }

    Traced add(Traced a, Traced b) {
        return tape.call(emit.add(a.value(), b.value()), g -> sums(g, g, a, b), a, b);
    }

    Traced sub(Traced a, Traced b) {
        return tape.call(
                emit.sub(a.value(), b.value()),
                g -> sums(g, b.requiresGrad() ? emit.unary("neg", g) : null, a, b),
                a,
                b);
    }

    Traced mul(Traced a, Traced b) {
        return tape.call(
                emit.mul(a.value(), b.value()),
                g -> {
                    Value other = b.requiresGrad() ? emit.mul(g, a.value()) : null;
                    return sums(a.requiresGrad() ? emit.mul(g, b.value()) : null, other, a, b);
                },
                a,
                b);
    }

    Traced div(Traced a, Traced b) {
        Value out = emit.binary("div", a.value(), b.value());
        return tape.call(
                out,
                g -> {
                    Value other = null;
                    if (b.requiresGrad()) {
                        Value ratio = emit.binary("div", emit.binary("div", a.value(), b.value()), b.value());
                        other = emit.mul(emit.unary("neg", g), ratio);
                    }
                    return sums(a.requiresGrad() ? emit.binary("div", g, b.value()) : null, other, a, b);
                },
                a,
                b);
    }

    /** Gradients of two operands that were broadcast and promoted. */
    @Nullable
    Value[] sums(@Nullable Value first, @Nullable Value second, Traced a, Traced b) {
        return new Value[] {back(first, a), back(second, b)};
    }

    private @Nullable Value back(@Nullable Value gradient, Traced of) {
        if (gradient == null || !of.requiresGrad()) {
            return null;
        }
        return joint.convert(
                emit.sumTo(gradient, of.value().sizes()), of.value().dtype());
    }

    Traced scaled(Traced x, Object number) {
        return of(x, emit.mul(x.value(), number), g -> emit.mul(g, number));
    }

    Traced sum(Traced x, Set<Integer> dims, boolean keep) {
        Value v = x.value();
        return of(x, emit.sum(v, dims, keep), g -> spread(g, v, dims, keep));
    }

    Traced mean(Traced x, Set<Integer> dims, boolean keep) {
        Value v = x.value();
        long n = dims.stream().mapToLong(v::size).reduce(1, (a, b) -> a * b);
        Value out = joint.reduce("aten.mean", v, dims, keep, v.dtype());
        return of(x, out, g -> emit.with("div", spread(g, v, dims, keep), n));
    }

    /** The gradient of a reduction, seen in the sizes before it. */
    Value spread(Value gradient, Value of, Set<Integer> dims, boolean keep) {
        Value kept = keep ? gradient : joint.reshape(gradient, Joint.reduced(of.sizes(), dims, true));
        return joint.expand(kept, of.sizes());
    }

    // Products.

    Traced mm(Traced a, Traced b) {
        long[] sizes = {a.value().size(0), b.value().size(1)};
        Value out = joint.make(Kind.LIBRARY, "aten.mm", "", a.value().dtype(), sizes, a.value(), b.value());
        return tape.call(
                out,
                g -> {
                    Value second = b.requiresGrad() ? right(g, a.value(), b.value()) : null;
                    return new Value[] {a.requiresGrad() ? left(g, a.value(), b.value()) : null, second};
                },
                a,
                b);
    }

    Traced addmm(Traced bias, Traced a, Traced b) {
        long[] sizes = {a.value().size(0), b.value().size(1)};
        Value out = joint.make(
                Kind.LIBRARY, "aten.addmm", "", a.value().dtype(), sizes, bias.value(), a.value(), b.value());
        return tape.call(
                out,
                g -> {
                    Value first = a.requiresGrad() ? left(g, a.value(), b.value()) : null;
                    Value second = b.requiresGrad() ? right(g, a.value(), b.value()) : null;
                    Value added =
                            bias.requiresGrad() ? emit.sumTo(g, bias.value().sizes()) : null;
                    return new Value[] {added, first, second};
                },
                bias,
                a,
                b);
    }

    Traced bmm(Traced a, Traced b) {
        long[] sizes = {a.value().size(0), a.value().size(1), b.value().size(2)};
        Value out = joint.make(Kind.LIBRARY, "aten.bmm", "", a.value().dtype(), sizes, a.value(), b.value());
        return tape.call(
                out,
                g -> {
                    Value second = b.requiresGrad() ? product("aten.bmm", joint.transpose(a.value(), 1, 2), g) : null;
                    Value first = a.requiresGrad() ? product("aten.bmm", g, joint.transpose(b.value(), 1, 2)) : null;
                    return new Value[] {first, second};
                },
                a,
                b);
    }

    private Value product(String op, Value a, Value b) {
        long[] sizes = a.sizes();
        sizes[sizes.length - 1] = b.size(-1);
        return joint.make(Kind.LIBRARY, op, "", a.dtype(), sizes, a, b);
    }

    private static boolean byColumns(Value matrix) {
        long[] strides = matrix.strides();
        return strides[0] == 1 && strides[1] == matrix.size(0);
    }

    /** FunctionsManual.cpp, mm_mat1_backward. */
    private Value left(Value g, Value a, Value b) {
        if (byColumns(a)) {
            return joint.transpose(product("aten.mm", b, joint.transpose(g, 0, 1)), 0, 1);
        }
        return product("aten.mm", g, joint.transpose(b, 0, 1));
    }

    /** FunctionsManual.cpp, mm_mat2_backward. */
    private Value right(Value g, Value a, Value b) {
        if (byColumns(b)) {
            return joint.transpose(product("aten.mm", joint.transpose(g, 0, 1), a), 0, 1);
        }
        return product("aten.mm", joint.transpose(a, 0, 1), g);
    }
}
