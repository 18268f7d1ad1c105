package dev.headroom.estimator.compile.rule;

import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Traced;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Scaled dot product attention: a fused kernel where one takes the operands, else products and a softmax. */
final class AttentionRules {
    /** Rows of the log of sums are padded to this many by the memory-efficient kernel. */
    private static final long LOG_ROWS = 32;

    private AttentionRules() {}

    static void register(Map<String, Rule> rules, AttentionKernel.Choice choice) {
        rules.put("aten.scaled_dot_product_attention", (ops, s) -> new Traced[] {attention(ops, s, choice)});
    }

    private static Traced attention(Ops ops, Site s, AttentionKernel.Choice choice) {
        Traced q = s.tensor("query");
        Traced k = s.tensor("key");
        Traced v = s.tensor("value");
        if (q.value().dim() != 4) {
            throw new NoDecomposition("attention without heads");
        }
        Traced given = s.tensorOrNull("attn_mask");
        if (given != null && given.requiresGrad()) {
            throw new NoDecomposition("attention whose mask is learned");
        }
        boolean causal = s.flag("is_causal", false);
        double dropout = s.number("dropout_p", 0);
        AttentionKernel kernel = choice.of(q, k, v, given, causal, dropout, s.flag("enable_gqa", false));
        Value mask =
                given == null ? null : additive(ops, given.value(), q.value().dtype());
        if (kernel == AttentionKernel.MATH) {
            return math(ops, grouped(ops, q, k), grouped(ops, q, v), q, mask, causal, dropout, given != null);
        }
        return fused(ops, kernel, q, k, v, mask, "causal=" + causal + " dropout=" + dropout);
    }

    /** Heads of keys and values that several heads of the query share. */
    private static Traced grouped(Ops ops, Traced q, Traced shared) {
        Value v = shared.value();
        long times = q.value().size(1) / v.size(1);
        if (times == 1) {
            return shared;
        }
        Traced wide = ops.expand(ops.unsqueeze(shared, 2), v.size(0), v.size(1), times, v.size(2), v.size(3));
        return ops.reshape(wide, v.size(0), q.value().size(1), v.size(2), v.size(3));
    }

    private static Value additive(Ops ops, Value mask, DType type) {
        if (mask.dtype() != DType.BOOL) {
            return mask;
        }
        return ops.emit.where(mask, ops.joint.number("0", type), ops.joint.number("-inf", type));
    }

    private static Traced fused(
            Ops ops, AttentionKernel kernel, Traced q, Traced k, Traced v, @Nullable Value mask, String key) {
        Value query = q.value();
        long[] out = query.sizes();
        out[3] = v.value().size(3);
        List<Value> operands = new ArrayList<>(List.of(query, k.value(), v.value()));
        if (mask != null) {
            long[] wide = {
                query.size(0), query.size(1), query.size(2), k.value().size(2)
            };
            operands.add(ops.joint.expand(mask, wide));
        }
        Value all = ops.joint.tuple(Kind.LIBRARY, kernel.forward(), key, operands.toArray(Value[]::new));
        Value result = ops.joint.item(all, query.dtype(), out, layout(kernel, query, out));
        boolean efficient = kernel == AttentionKernel.EFFICIENT;
        long rows = query.size(2);
        long padded = efficient ? (rows + LOG_ROWS - 1) / LOG_ROWS * LOG_ROWS : rows;
        Value log = ops.joint.item(all, DType.FLOAT32, query.size(0), query.size(1), padded);
        Value seed = ops.joint.item(all, DType.INT64);
        Value offset = ops.joint.item(all, DType.INT64);
        return ops.tape.call(
                result,
                g -> {
                    List<Value> arguments = new ArrayList<>(List.of(g));
                    arguments.addAll(operands);
                    arguments.addAll(List.of(result, log, seed, offset));
                    Value made = ops.joint.tuple(Kind.LIBRARY, kernel.backward(), key, arguments.toArray(Value[]::new));
                    return new Value[] {
                        like(ops, kernel, made, q), like(ops, kernel, made, k), like(ops, kernel, made, v)
                    };
                },
                q,
                k,
                v);
    }

    private static Value like(Ops ops, AttentionKernel kernel, Value tuple, Traced of) {
        long[] sizes = of.value().sizes();
        return ops.joint.item(tuple, of.value().dtype(), sizes, layout(kernel, of.value(), sizes));
    }

    /** cuDNN's kernel keeps the order of dimensions that its operand has (ATen/native/cudnn/MHA.cpp). */
    private static long[] layout(AttentionKernel kernel, Value operand, long[] sizes) {
        return kernel == AttentionKernel.CUDNN
                ? Shapes.denseInOrder(sizes, Shapes.order(operand.sizes(), new long[][] {operand.strides()}))
                : rowsFirst(sizes);
    }

    /** (batch, heads, rows, features) in memory as (batch, rows, heads, features). */
    private static long[] rowsFirst(long[] sizes) {
        return Shapes.denseInOrder(sizes, new int[] {3, 1, 2, 0});
    }

    /** {@code _scaled_dot_product_attention_math}. */
    private static Traced math(
            Ops ops,
            Traced k,
            Traced v,
            Traced q,
            @Nullable Value mask,
            boolean causal,
            double dropout,
            boolean masked) {
        Traced left = ops.scaled(q, "root of scale");
        Traced right = ops.scaled(ops.transpose(k, 2, 3), "root of scale");
        Traced scores = ProductRules.matmul(ops, left, right);
        Value added = mask;
        if (causal) {
            Value ones = ops.joint.make(Kind.POINTWISE, "aten.tril", "", DType.BOOL, new long[] {
                q.value().size(2), k.value().size(2)
            });
            added = additive(ops, ones, q.value().dtype());
        }
        if (added != null) {
            scores = ops.add(scores, Traced.constant(added));
        }
        Traced before = scores;
        Traced weights = LossRules.softmax(ops, scores, 3);
        if (masked || causal) {
            weights = safe(ops, weights, before.value());
        }
        weights = IndexRules.dropped(ops, weights, dropout, dropout > 0);
        return ProductRules.matmul(ops, weights, v);
    }

    /** {@code _safe_softmax}: rows that are masked wholly are zero. */
    private static Traced safe(Ops ops, Traced weights, Value scores) {
        Emit e = ops.emit;
        Value outside = e.unary("logical_not", e.compare("eq", scores, "-inf"));
        Value any = ops.joint.reduce("aten.any", outside, Set.of(3), true, DType.BOOL);
        Value none = ops.joint.pointwise("aten.logical_not", "", DType.BOOL, any);
        Value zeros = e.zeros(weights.value());
        return ops.unary(weights, e.where(none, zeros, weights.value()), (g, y) -> e.zeroWhere(none, g));
    }
}
