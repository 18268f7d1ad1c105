package dev.headroom.estimator.compile.rule;

import dev.headroom.estimator.compile.trace.Traced;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.graph.Shapes;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Matrix products: composites become {@code mm}, {@code addmm} and {@code bmm} over views. */
final class ProductRules {
    private ProductRules() {}

    static void register(Map<String, Rule> rules) {
        put(rules, "linear", (ops, s) -> linear(ops, s.tensor("input"), s.tensor("weight"), s.tensorOrNull("bias")));
        put(rules, "addmm", (ops, s) -> ops.addmm(s.tensor("self"), s.tensor("mat1"), s.tensor("mat2")));
        put(rules, "mm", (ops, s) -> ops.mm(s.tensor("self"), s.tensor("mat2")));
        put(rules, "bmm", (ops, s) -> ops.bmm(s.tensor("self"), s.tensor("mat2")));
        put(rules, "matmul", (ops, s) -> matmul(ops, s.tensor("self"), s.tensor("other")));
        put(rules, "baddbmm", (ops, s) -> ops.add(ops.bmm(s.tensor("batch1"), s.tensor("batch2")), s.tensor("self")));
    }

    private static void put(Map<String, Rule> rules, String name, Rule.Single rule) {
        rules.put("aten." + name, (ops, s) -> new Traced[] {rule.trace(ops, s)});
    }

    /** ATen/native/Linear.cpp, linear. */
    private static Traced linear(Ops ops, Traced x, Traced weight, @Nullable Traced bias) {
        Traced columns = ops.transpose(weight, 0, 1);
        Value v = x.value();
        if (v.dim() == 2 && bias != null) {
            return ops.addmm(bias, x, columns);
        }
        if (v.dim() == 3 && bias != null && v.isContiguous()) {
            Traced flat = ops.reshape(x, v.size(0) * v.size(1), v.size(2));
            return ops.reshape(
                    ops.addmm(bias, flat, columns),
                    v.size(0),
                    v.size(1),
                    weight.value().size(0));
        }
        Traced out = matmul(ops, x, columns);
        return bias == null ? out : ops.add(out, bias);
    }

    /** ATen/native/LinearAlgebra.cpp, matmul: a matrix on the right folds all else into rows. */
    static Traced matmul(Ops ops, Traced a, Traced b) {
        int dimsOfA = a.value().dim();
        int dimsOfB = b.value().dim();
        if (dimsOfA < 2 || dimsOfB < 2) {
            throw new NoDecomposition("matmul of a vector");
        }
        if (dimsOfA == 2 && dimsOfB == 2) {
            return ops.mm(a, b);
        }
        if (dimsOfB == 2) {
            long[] sizes = a.value().sizes();
            Traced flat = ops.reshape(a, -1, sizes[dimsOfA - 1]);
            sizes[dimsOfA - 1] = b.value().size(1);
            return ops.reshape(ops.mm(flat, b), sizes);
        }
        long[] lead = Shapes.broadcast(lead(a.value()), lead(b.value()));
        long rows = a.value().size(-2);
        long columns = b.value().size(-1);
        Traced left = batched(ops, a, lead, rows, a.value().size(-1));
        Traced right = batched(ops, b, lead, b.value().size(-2), columns);
        return ops.reshape(ops.bmm(left, right), with(lead, rows, columns));
    }

    private static Traced batched(Ops ops, Traced x, long[] lead, long rows, long columns) {
        return ops.reshape(ops.expand(x, with(lead, rows, columns)), Shapes.numel(lead), rows, columns);
    }

    private static long[] lead(Value v) {
        return Arrays.copyOf(v.sizes(), v.dim() - 2);
    }

    private static long[] with(long[] lead, long rows, long columns) {
        long[] out = Arrays.copyOf(lead, lead.length + 2);
        out[lead.length] = rows;
        out[lead.length + 1] = columns;
        return out;
    }
}
