package dev.headroom.model.onnx.op;

import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Arithmetic on sizes that may be open. */
final class Dims {
    private static final SymExpr ONE = SymExpr.of(1);

    private Dims() {}

    static @Nullable Long constant(SymExpr size) {
        return size instanceof SymExpr.Constant c ? c.value() : null;
    }

    static SymExpr plus(SymExpr a, SymExpr b) {
        Long x = constant(a);
        Long y = constant(b);
        if (x != null && y != null) {
            return SymExpr.of(Math.addExact(x, y));
        }
        if (x != null && x == 0) {
            return b;
        }
        return y != null && y == 0 ? a : SymExpr.call("Add", a, b);
    }

    static SymExpr plus(SymExpr a, long b) {
        return plus(a, SymExpr.of(b));
    }

    static SymExpr minus(SymExpr a, SymExpr b) {
        return a.equals(b) ? SymExpr.of(0) : plus(a, times(b, SymExpr.of(-1)));
    }

    static SymExpr times(SymExpr a, SymExpr b) {
        Long x = constant(a);
        Long y = constant(b);
        if (x != null && y != null) {
            return SymExpr.of(Math.multiplyExact(x, y));
        }
        if (x != null && x == 1) {
            return b;
        }
        return y != null && y == 1 ? a : SymExpr.call("Mul", a, b);
    }

    /** Division that forgets the rest. */
    static SymExpr over(SymExpr a, SymExpr b) {
        Long x = constant(a);
        Long y = constant(b);
        if (y != null && y == 1) {
            return a;
        }
        if (x != null && y != null && y != 0) {
            return SymExpr.of(Math.floorDiv(x, y));
        }
        return a.equals(b) ? ONE : SymExpr.call("FloorDiv", a, b);
    }

    static SymExpr least(SymExpr a, SymExpr b) {
        Long x = constant(a);
        Long y = constant(b);
        return x != null && y != null ? SymExpr.of(Math.min(x, y)) : SymExpr.call("Min", a, b);
    }

    /** The quotient of two products; factors that both have cancel. */
    static SymExpr quotient(List<SymExpr> numerator, List<SymExpr> denominator) {
        List<SymExpr> above = new ArrayList<>(numerator);
        SymExpr below = ONE;
        for (SymExpr factor : denominator) {
            if (!above.remove(factor)) {
                below = times(below, factor);
            }
        }
        long constant = 1;
        SymExpr open = ONE;
        for (SymExpr factor : above) {
            Long known = constant(factor);
            if (known == null) {
                open = times(open, factor);
            } else {
                constant = Math.multiplyExact(constant, known);
            }
        }
        Long divisor = constant(below);
        if (divisor != null && divisor != 0 && constant % divisor == 0) {
            return times(SymExpr.of(constant / divisor), open);
        }
        return over(times(SymExpr.of(constant), open), below);
    }

    static SymExpr product(List<SymExpr> sizes) {
        return sizes.stream().reduce(ONE, Dims::times);
    }

    /** NumPy's broadcasting; two open sizes are taken to be equal. */
    static List<SymExpr> broadcast(List<SymExpr> a, List<SymExpr> b) {
        int rank = Math.max(a.size(), b.size());
        List<SymExpr> out = new ArrayList<>();
        for (int i = 0; i < rank; i++) {
            SymExpr x = i < rank - a.size() ? ONE : a.get(i - rank + a.size());
            SymExpr y = i < rank - b.size() ? ONE : b.get(i - rank + b.size());
            Long known = constant(x);
            out.add(known != null && (known == 1 || constant(y) == null) && !y.equals(ONE) ? (known == 1 ? y : x) : x);
        }
        return out;
    }

    /** The size of a window's results: {@code (size + padding - dilation * (kernel - 1) - 1) / stride + 1}. */
    static SymExpr window(SymExpr size, long padding, long kernel, long stride, long dilation, boolean ceil) {
        SymExpr room = plus(size, padding - dilation * (kernel - 1) - 1 + (ceil ? stride - 1 : 0));
        return plus(over(room, SymExpr.of(stride)), 1);
    }
}
