package dev.headroom.estimator.compile.rule;

import dev.headroom.estimator.compile.trace.Joint;
import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.model.graph.DType;
import java.util.Set;
import java.util.TreeSet;

/** Arithmetic of decompositions: appends elementwise calls and reductions to the graph. */
final class Emit {
    private final Joint joint;

    Emit(Joint joint) {
        this.joint = joint;
    }

    Joint joint() {
        return joint;
    }

    /** An operator of one operand that keeps its type. */
    Value unary(String op, Value a) {
        return joint.pointwise("aten." + op, "", a.dtype(), a);
    }

    /** An operator of an operand and a number. */
    Value with(String op, Value a, Object number) {
        return joint.pointwise("aten." + op, String.valueOf(number), a.dtype(), a);
    }

    Value binary(String op, Value a, Value b) {
        return joint.pointwise("aten." + op, "", promoted(a, b), a, b);
    }

    Value mul(Value a, Value b) {
        return binary("mul", a, b);
    }

    Value mul(Value a, Object number) {
        return with("mul", a, number);
    }

    Value add(Value a, Value b) {
        return binary("add", a, b);
    }

    Value sub(Value a, Value b) {
        return binary("sub", a, b);
    }

    /** A comparison with a number. */
    Value compare(String op, Value a, Object number) {
        return joint.pointwise("aten." + op, String.valueOf(number), DType.BOOL, a);
    }

    Value compare(String op, Value a, Value b) {
        return joint.pointwise("aten." + op, "", DType.BOOL, a, b);
    }

    Value where(Value condition, Value then, Value otherwise) {
        return joint.pointwise("aten.where", "", promoted(then, otherwise), condition, then, otherwise);
    }

    /** Zero where the condition holds. */
    Value zeroWhere(Value condition, Value otherwise) {
        return where(condition, joint.number("0", otherwise.dtype()), otherwise);
    }

    Value sum(Value of, Set<Integer> dims, boolean keep) {
        boolean counts = !of.dtype().isFloatingPoint();
        return joint.reduce("aten.sum", of, dims, keep, counts ? DType.INT64 : of.dtype());
    }

    Value amax(Value of, int dim) {
        return joint.reduce("aten.amax", of, Set.of(dim), true, of.dtype());
    }

    /** Zeros like a tensor. */
    Value zeros(Value like) {
        return joint.zeros(like.dtype(), like.sizes());
    }

    /** The gradient of something that was broadcast ({@code sum_to_size}). */
    Value sumTo(Value of, long... sizes) {
        int lead = of.dim() - sizes.length;
        Set<Integer> dims = new TreeSet<>();
        for (int i = 0; i < of.dim(); i++) {
            boolean broadcast = i >= lead && sizes[i - lead] == 1 && of.size(i) != 1;
            if (i < lead || broadcast) {
                dims.add(i);
            }
        }
        Value out = dims.isEmpty() ? of : sum(of, dims, true);
        return lead == 0 ? out : joint.reshape(out, sizes);
    }

    /** Variance and mean: two results of one reduction. */
    Value[] varMean(Value of, Set<Integer> dims) {
        Value both = joint.tuple(Kind.REDUCTION, "aten.var_mean", dims.toString(), of);
        long[] sizes = Joint.reduced(of.sizes(), dims, true);
        return new Value[] {joint.item(both, of.dtype(), sizes), joint.item(both, of.dtype(), sizes)};
    }

    Value convert(Value of, DType type) {
        return joint.convert(of, type);
    }

    /** In float32, where half precision is computed in it. */
    Value wide(Value of) {
        return of.dtype().isReducedFloat() ? convert(of, DType.FLOAT32) : of;
    }

    /** The type of a result of two operands. */
    static DType promoted(Value a, Value b) {
        return Strided.promote(a.dtype(), a.dim(), b.dtype(), b.dim());
    }

    /** All dimensions of a tensor. */
    static Set<Integer> all(Value of) {
        return range(0, of.dim());
    }

    /** Dimensions from one to before another. */
    static Set<Integer> range(int from, int to) {
        Set<Integer> out = new TreeSet<>();
        for (int i = from; i < to; i++) {
            out.add(i);
        }
        return out;
    }
}
