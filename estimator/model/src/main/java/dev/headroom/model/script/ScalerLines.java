package dev.headroom.model.script;

import java.util.List;
import java.util.Map;

/**
 * Lines of a {@code torch.amp.GradScaler}, which a loop calls {@code scaler}: {@code scaler.scale(loss).backward()} and
 * {@code scaler.step(optimizer)} are what they scale, {@code scaler.unscale_(optimizer)} and {@code scaler.update()}
 * calls of their own.
 */
public final class ScalerLines {
    /** {@code scaler.unscale_(optimizer)}. */
    public static final String UNSCALE = "scaler.unscale_";

    /** {@code scaler.update()}. */
    public static final String UPDATE = "scaler.update";

    static final String HINT = "of a GradScaler there are scaler.scale(loss).backward(), scaler.unscale_(optimizer),"
            + " scaler.step(optimizer) and scaler.update()";

    private static final String NAME = "scaler";

    private ScalerLines() {}

    /** Whether a loop has any that says when gradients are unscaled or the scale is updated. */
    public static boolean any(List<Statement> statements, String call) {
        return statements.stream()
                .anyMatch(s -> s instanceof Statement.Block b && any(b.body(), call)
                        || s instanceof Statement.Line l
                                && l.value() instanceof Expr.Call c
                                && c.function().equals(call));
    }

    /**
     * The same without the scaler, or as a call of its own; others as they are.
     *
     * @throws IllegalArgumentException for a call that a scaler does not have
     */
    static Expr read(Expr of) {
        if (!(of instanceof Expr.Method m)) {
            return of;
        }
        if (m.method().equals("backward") && isScaler(m.on(), "scale")) {
            Expr.Method scale = (Expr.Method) m.on();
            require(scale.arguments().size() == 1);
            return new Expr.Method(scale.arguments().get(0), m.method(), m.arguments(), m.named());
        }
        if (!(m.on() instanceof Expr.Name n) || !n.name().equals(NAME)) {
            return of;
        }
        boolean one = m.arguments().size() == 1 && m.arguments().get(0) instanceof Expr.Name;
        return switch (m.method()) {
            case "step" -> {
                require(one);
                yield new Expr.Method(m.arguments().get(0), "step", List.of(), m.named());
            }
            case "unscale_" -> {
                require(one);
                yield new Expr.Call(UNSCALE, m.arguments(), Map.of());
            }
            case "update" -> new Expr.Call(UPDATE, List.of(), Map.of());
            default -> throw new IllegalArgumentException(HINT);
        };
    }

    private static boolean isScaler(Expr e, String method) {
        return e instanceof Expr.Method m
                && m.method().equals(method)
                && m.on() instanceof Expr.Name n
                && n.name().equals(NAME);
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new IllegalArgumentException(HINT);
        }
    }
}
