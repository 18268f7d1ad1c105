package dev.headroom.estimator.compile.trace;

import org.jspecify.annotations.Nullable;

/**
 * A tensor while forward is traced.
 *
 * @param step of autograd that made it; {@code null} where no gradient is wanted
 * @param result which of the step's results it is
 */
public record Traced(Value value, @Nullable Step step, int result) {
    /** A tensor without gradient. */
    public static Traced constant(Value value) {
        return new Traced(value, null, 0);
    }

    public boolean requiresGrad() {
        return step != null;
    }
}
