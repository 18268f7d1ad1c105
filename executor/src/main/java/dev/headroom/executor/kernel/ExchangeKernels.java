package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Values on their way between devices. */
public interface ExchangeKernels {
    /** A tensor's values in row-major order; {@code null} where nothing is computed. */
    double @Nullable [] values(Tensor t);

    /** The same where values are computed. */
    default double[] computed(Tensor t) {
        return Objects.requireNonNull(values(t), "values");
    }

    /** Sets a tensor's values, rounded to its type. */
    void set(Tensor t, double[] values);

    /** Through host memory. */
    static ExchangeKernels through(Backend backend) {
        return new ExchangeKernels() {
            @Override
            public double[] values(Tensor t) {
                return backend.read(t);
            }

            @Override
            public void set(Tensor t, double[] values) {
                backend.write(t, values);
            }
        };
    }
}
