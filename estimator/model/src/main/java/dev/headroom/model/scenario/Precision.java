package dev.headroom.model.scenario;

import dev.headroom.model.graph.DType;
import dev.headroom.model.record.Withers;
import org.jspecify.annotations.Nullable;

/**
 * The types that a run computes in.
 *
 * @param dtype type of parameters, buffers and inputs that are floating point; {@code null}: as in the graph
 * @param amp autocast type, or {@code null}; {@code FLOAT16} brings a GradScaler
 * @param convertsOnDevice {@code model.cuda().half()}: the model is moved in its own types and converted on the device
 */
@Withers
public record Precision(@Nullable DType dtype, @Nullable DType amp, boolean convertsOnDevice)
        implements PrecisionWithers.With {
    static final Precision DEFAULTS = new Precision(null, null, false);
}
