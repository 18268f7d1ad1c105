package dev.headroom.model.dsl;

import org.jspecify.annotations.Nullable;

/**
 * {@code out = body(x); out += shortcut(x); return end(out)}: the block of residual networks. Without a shortcut the
 * input itself is added; without an end the sum is the result.
 */
public final class Residual extends Layer {
    private final Layer body;
    private final @Nullable Layer shortcut;
    private final @Nullable Layer end;
    private final boolean inPlace;

    private Residual(Layer body, @Nullable Layer shortcut, @Nullable Layer end, boolean inPlace) {
        this.body = child("body", body);
        this.shortcut = shortcut == null ? null : child("shortcut", shortcut);
        this.end = end == null ? null : child("end", end);
        this.inPlace = inPlace;
    }

    /** {@code x + body(x)}. */
    public static Residual of(Layer body) {
        return new Residual(body, null, null, false);
    }

    /** As in ResNet: the sum is in place. {@code shortcut} and {@code end} may be {@code null}. */
    public static Residual of(Layer body, @Nullable Layer shortcut, @Nullable Layer end) {
        return of(body, shortcut, end, true);
    }

    /**
     * As in ResNet, the sum in place or not.
     *
     * @param shortcut {@code null}: the input itself
     * @param end {@code null}: nothing
     */
    public static Residual of(Layer body, @Nullable Layer shortcut, @Nullable Layer end, boolean inPlace) {
        return new Residual(body, shortcut, end, inPlace);
    }

    @Override
    protected Value forward(Scope scope, Value... inputs) {
        scope.line("out = self.body(x)");
        Value out = scope.call(body, inputs[0]);
        Value identity = inputs[0];
        if (shortcut != null) {
            scope.line("identity = self.shortcut(x)");
            identity = scope.call(shortcut, inputs[0]);
        }
        scope.line(inPlace ? "out += identity" : shortcut == null ? "out = x + out" : "out = identity + out");
        out = inPlace
                ? scope.op("aten.add_.Tensor", Scope.arguments("self", out, "other", identity))
                : scope.op("aten.add.Tensor", Scope.arguments("self", identity, "other", out));
        if (end != null) {
            scope.line("out = self.end(out)");
            out = scope.call(end, out);
        }
        return out;
    }
}
