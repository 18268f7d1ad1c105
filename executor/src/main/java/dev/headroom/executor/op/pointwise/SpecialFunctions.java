package dev.headroom.executor.op.pointwise;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.List;

/** {@code torch.special}, with derivatives as in derivatives.yaml; operands evaluated from the right as GCC does. */
public final class SpecialFunctions {
    /** The operand's gradient of the result's, of the operand and of the result. */
    private interface Derivative {
        Tensor of(Steps s, Tensor g, Tensor x, Tensor y);
    }

    /** @param numbers of the formula */
    private record Row(
            String name,
            String node,
            Formula forward,
            double[] numbers,
            boolean savesOperand,
            boolean savesResult,
            Derivative derivative) {}

    private static final double[] NONE = {};
    private static final double[] I0 = {0, 0};
    private static final double[] I0E = {0, 1};
    private static final double[] I1 = {1, 0};
    private static final double[] I1E = {1, 1};

    private static final Formula LARGE = Formula.unary("large", "x0 > 2.3e-16", x -> x > 2.3e-16 ? 1 : 0);
    private static final List<Row> ROWS = List.of(
            new Row(
                    "special_entr",
                    "SpecialEntrBackward0",
                    SpecialNumbers.ENTROPY,
                    NONE,
                    true,
                    false,
                    (s, g, x, y) -> s.times(g, s.negative(s.plus(s.of(Formulas.LOG, x), 1)))),
            new Row(
                    "special_ndtri",
                    "SpecialNdtriBackward0",
                    SpecialNumbers.INVERSE_NORMAL,
                    NONE,
                    false,
                    true,
                    (s, g, x, y) -> {
                        Tensor bell = s.of(Formulas.EXP, s.times(s.power(y, 2), 0.5));
                        return s.times(s.times(g, Math.sqrt(2 * Math.PI)), bell);
                    }),
            new Row("special_i0e", "SpecialI0EBackward0", SpecialNumbers.BESSEL, I0E, true, true, (s, g, x, y) -> {
                Tensor signed = s.times(s.of(Formulas.SIGN, x), y);
                return s.times(g, s.minus(bessel(s, x, I1E), signed));
            }),
            new Row(
                    "special_i1",
                    "SpecialI1Backward0",
                    SpecialNumbers.BESSEL,
                    I1,
                    true,
                    true,
                    (s, g, x, y) -> ofFirstOrder(s, g, x, y, false)),
            new Row(
                    "special_i1e",
                    "SpecialI1EBackward0",
                    SpecialNumbers.BESSEL,
                    I1E,
                    true,
                    true,
                    (s, g, x, y) -> ofFirstOrder(s, g, x, y, true)),
            new Row(
                    "special_erfcx",
                    "SpecialErfcxBackward0",
                    SpecialNumbers.SCALED_COMPLEMENT,
                    NONE,
                    true,
                    true,
                    (s, g, x, y) -> s.times(s.plus(s.times(s.times(x, 2), y), -2 / Math.sqrt(Math.PI)), g)),
            new Row(
                    "special_log_ndtr",
                    "SpecialLogNdtrBackward0",
                    SpecialNumbers.LOG_NORMAL,
                    NONE,
                    true,
                    true,
                    (s, g, x, y) -> {
                        Tensor sum = s.add(y, s.times(s.power(x, 2), 0.5));
                        Tensor bell = s.of(Formulas.EXP, s.negative(sum));
                        return s.times(s.times(g, 1 / Math.sqrt(2 * Math.PI)), bell);
                    }));

    private SpecialFunctions() {}

    public static void register(Operators o) {
        for (Row row : ROWS) {
            o.add1("aten." + row.name(), (e, a) -> apply(e, row, a.tensor("self")));
        }
        for (String name : new String[] {"polygamma", "special_polygamma"}) {
            o.add1("aten." + name, (e, a) -> polygamma(e, (int) a.integer("n", 1), a.tensor("self")));
        }
    }

    static Tensor bessel(Steps s, Tensor x, double[] how) {
        return Elementwise.unary(s.e(), SpecialNumbers.BESSEL, x, how);
    }

    /** The derivative of I0 is I1. */
    static Tensor ofOrderZero(Steps s, Tensor g, Tensor x) {
        return s.times(g, bessel(s, x, I1));
    }

    private static Tensor apply(Eager e, Row row, Tensor x) {
        Recorder r = e.record(row.node(), x);
        SavedTensor operand = r.saveIf(row.savesOperand(), x);
        Tensor out = Elementwise.map(e, row.forward(), Promotion.floating(x.dtype()), row.numbers(), x);
        SavedTensor result = r.saveOutput(row.savesResult() ? out : null);
        return r.backward(g -> new Tensor[] {
                    e.call(() -> row.derivative().of(new Steps(e), g[0], operand.getOr(g[0]), result.getOr(g[0])))
                })
                .output(out);
    }

    private static Tensor polygamma(Eager e, int order, Tensor x) {
        Recorder r = e.record("PolygammaBackward0", x);
        SavedTensor saved = r.save(x);
        Tensor out = order == 0
                ? Elementwise.map(e, SpecialNumbers.DIGAMMA, Promotion.floating(x.dtype()), NONE, x)
                : Elementwise.map(e, SpecialNumbers.POLYGAMMA, Promotion.floating(x.dtype()), new double[] {order}, x);
        return r.backward(g -> new Tensor[] {
                    e.call(() -> {
                        Tensor next = Elementwise.unary(e, SpecialNumbers.POLYGAMMA, saved.get(), order + 1.0);
                        return new Steps(e).times(g[0], next);
                    })
                })
                .output(out);
    }

    /** i1_backward and i1e_backward (FunctionsManual.cpp): tiny operands are replaced first, what they gave last. */
    private static Tensor ofFirstOrder(Steps s, Tensor g, Tensor x, Tensor y, boolean scaled) {
        Eager e = s.e();
        Tensor size = s.of(Formulas.ABS, x);
        Tensor large = s.truth(LARGE, size);
        e.free(size);
        Tensor least = number(e, x.dtype(), 2.3e-16);
        Tensor safe = s.of(Formulas.WHERE, large, x, least);
        e.free(least);
        Tensor slope = e.call(() -> {
            Tensor sum = s.inverse(1, safe);
            if (scaled) {
                sum = s.add(s.of(Formulas.SIGN, safe), sum);
            }
            Tensor product = s.times(y, sum);
            return s.minus(bessel(s, safe, scaled ? I0E : I0), product);
        });
        Tensor half = number(e, x.dtype(), 0.5);
        return s.times(g, s.of(Formulas.WHERE, large, slope, half));
    }

    private static Tensor number(Eager e, DType type, double value) {
        Tensor out = e.empty(type);
        Elementwise.fill(e, out, value);
        return out;
    }
}
