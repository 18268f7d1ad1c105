package dev.headroom.estimator.op.core;

import dev.headroom.estimator.op.core.BackwardKernel.Term;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Tensor;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Gradient formulas of element-wise functions as they run where they are recorded in turn ({@code create_graph=True}),
 * by the function's node: a row each. A function without a row is named where a backward pass goes through it twice.
 */
public final class RecordedFormulas {
    /** The gradient from the result's and what the node kept. */
    @FunctionalInterface
    interface Row {
        Tensor of(Body b, Tensor grad, Tensor kept);
    }

    private static final BackwardKernel TANH = new BackwardKernel(
            "TanhBackwardBackward0",
            new Term(0, List.of(1), (b, g, k) -> tanh(b, g, k[1])),
            new Term(1, List.of(0, 1), (b, g, k) -> {
                Tensor scaled = mul(b, mul(b, k[1], -2), k[0]);
                return mul(b, g, scaled);
            }));
    private static final BackwardKernel SIGMOID = new BackwardKernel(
            "SigmoidBackwardBackward0",
            new Term(0, List.of(1), (b, g, k) -> sigmoid(b, g, k[1])),
            new Term(1, List.of(0, 1), (b, g, k) -> {
                Tensor slope = b.call("add.Tensor", mul(b, k[1], -2), 1);
                return mul(b, mul(b, g, k[0]), slope);
            }));
    private static final BackwardKernel THRESHOLD = new BackwardKernel(
            "ThresholdBackwardBackward0",
            new Term(1, List.of(0), (b, g, k) -> threshold(b, g, k[0])),
            new Term(0, List.of(), BackwardKernel.ZEROS));
    private static final BackwardKernel LEAKY = new BackwardKernel(
            "LeakyReluBackwardBackward0",
            new Term(1, List.of(0), (b, g, k) -> leaky(b, g, k[0])),
            new Term(0, List.of(), BackwardKernel.ZEROS));
    private static final BackwardKernel SOFTPLUS = new BackwardKernel(
            "SoftplusBackwardBackward0",
            new Term(0, List.of(1), (b, g, k) -> softplus(b, g, k[1])),
            new Term(1, List.of(0, 1), (b, g, k) -> softplusTwice(b, mul(b, g, k[0]), k[1])));
    private static final BackwardKernel ELU = new BackwardKernel(
            "EluBackwardBackward0",
            new Term(0, List.of(1), (b, g, k) -> elu(b, g, k[1])),
            new Term(1, List.of(0, 1), (b, g, k) -> {
                Tensor below = b.call("to.dtype", b.call("lt.Scalar", k[1], 0), g.dtype());
                return mul(b, elu(b, mul(b, mul(b, g, k[0]), 1), k[1]), below);
            }));
    private static final BackwardKernel GELU = new BackwardKernel(
            "GeluBackwardBackward0",
            new Term(0, List.of(1), (b, g, k) -> gelu(b, g, k[1])),
            new Term(1, List.of(0, 1), (b, g, k) -> geluTwice(b, g, k[0], k[1])));

    private static final Map<String, Row> ROWS = Map.ofEntries(
            Map.entry("ExpBackward0", RecordedFormulas::mul),
            Map.entry("LogBackward0", (b, g, x) -> b.call("div.Tensor", g, x)),
            Map.entry("SinBackward0", (b, g, x) -> mul(b, g, b.call("cos", x))),
            Map.entry("CosBackward0", (b, g, x) -> mul(b, g, b.call("neg", b.call("sin", x)))),
            Map.entry("SqrtBackward0", (b, g, y) -> b.call("div.Tensor", g, mul(b, y, 2))),
            Map.entry("RsqrtBackward0", (b, g, y) -> {
                Tensor cube = b.call("pow.Tensor_Scalar", y, 3);
                return mul(b, mul(b, g, -0.5), cube);
            }),
            Map.entry("ReciprocalBackward0", (b, g, y) -> {
                Tensor square = mul(b, y, y);
                return mul(b, b.call("neg", g), square);
            }),
            Map.entry("AbsBackward0", (b, g, x) -> mul(b, g, b.call("sgn", x))),
            Map.entry("ClampBackward", (b, g, x) -> clamp(b, g, x, 1)),
            Map.entry("ClampBackward1", (b, g, x) -> clamp(b, g, x, 2)),
            Map.entry("NegBackward0", (b, g, x) -> b.call("neg", g)),
            Map.entry("PowBackward0", (b, g, x) -> mul(b, g, mul(b, b.call("pow.Tensor_Scalar", x, 1), 2))),
            Map.entry("Log1PBackward0", (b, g, x) -> b.call("div.Tensor", g, b.call("add.Tensor", x, 1))),
            Map.entry("TanhBackward0", RecordedFormulas::tanh),
            Map.entry("SigmoidBackward0", RecordedFormulas::sigmoid),
            Map.entry("ReluBackward0", RecordedFormulas::threshold),
            Map.entry("ThresholdBackward0", RecordedFormulas::threshold),
            Map.entry("LeakyReluBackward0", RecordedFormulas::leaky),
            Map.entry("LeakyReluBackward1", RecordedFormulas::leaky),
            Map.entry("SoftplusBackward0", RecordedFormulas::softplus),
            Map.entry("EluBackward0", RecordedFormulas::elu),
            Map.entry("GeluBackward0", RecordedFormulas::gelu),
            Map.entry("SiluBackward0", RecordedFormulas::silu));

    private RecordedFormulas() {}

    /** The row of a node, or {@code null}. */
    public static Unary.@Nullable Again of(Registry rules, String node) {
        Row row = ROWS.get(node);
        return row == null
                ? null
                : (rt, g, kept) -> {
                    Body b = new Body(rt, rules);
                    return b.give(row.of(b, g, kept));
                };
    }

    private static Tensor mul(Body b, Tensor a, Object other) {
        return b.call("mul.Tensor", a, other);
    }

    private static Tensor tanh(Body b, Tensor g, Tensor y) {
        return TANH.apply(b, g, y);
    }

    private static Tensor sigmoid(Body b, Tensor g, Tensor y) {
        return SIGMOID.apply(b, g, y);
    }

    /** FunctionsManual.cpp, clamp_backward: {@code where(self >= min, grad, 0)}, or within two bounds. */
    private static Tensor clamp(Body b, Tensor g, Tensor x, int bounds) {
        Tensor zero = b.let(b.made(b.runtime().empty(g.dtype())));
        Tensor within = b.call("ge.Scalar", x, 0);
        if (bounds == 2) {
            within = b.call("logical_and_", within, b.call("le.Scalar", x, 0));
        }
        return b.call("where.self", within, g, zero);
    }

    /** What was kept decides the layout. */
    private static Tensor threshold(Body b, Tensor g, Tensor kept) {
        return THRESHOLD.apply(b, kept, g);
    }

    private static Tensor leaky(Body b, Tensor g, Tensor kept) {
        return LEAKY.apply(b, kept, g);
    }

    private static Tensor softplus(Body b, Tensor g, Tensor x) {
        return SOFTPLUS.apply(b, g, x);
    }

    private static Tensor elu(Body b, Tensor g, Tensor x) {
        return ELU.apply(b, g, x);
    }

    private static Tensor gelu(Body b, Tensor g, Tensor x) {
        return GELU.apply(b, g, x);
    }

    /** FunctionsManual.cpp, gelu_double_backward, of the exact function. */
    private static Tensor geluTwice(Body b, Tensor ggI, Tensor gO, Tensor x) {
        Tensor square = b.let(mul(b, x, x));
        Tensor density = b.let(mul(b, b.call("exp", mul(b, square, -0.5)), 0.4));
        Tensor weighted = mul(b, square, density);
        Tensor slope = b.let(b.call("sub.Tensor", mul(b, density, 2), weighted));
        return mul(b, mul(b, ggI, gO), slope);
    }

    /** FunctionsManual.cpp, softplus_double_backward. */
    private static Tensor softplusTwice(Body b, Tensor g, Tensor self) {
        Tensor x = b.let(mul(b, self, 1));
        Tensor below = b.call("to.dtype", b.call("lt.Scalar", x, 20), g.dtype());
        Tensor slope = sigmoid(b, g, b.call("sigmoid", x));
        return mul(b, mul(b, slope, below), 1);
    }

    /** FunctionsManual.cpp, infinitely_differentiable_silu_backward. */
    private static Tensor silu(Body b, Tensor g, Tensor self) {
        Tensor sigmoid = b.let(b.call("sigmoid", self));
        Tensor slope = b.call("add.Tensor", mul(b, self, b.call("rsub.Scalar", sigmoid, 1)), 1);
        return mul(b, mul(b, g, sigmoid), slope);
    }
}
