package dev.headroom.estimator.loading;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.OptimizerArithmetic;
import dev.headroom.estimator.program.ModelAssembly;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.quant.FourBit;
import dev.headroom.model.quant.pass.QuantisedWeight;
import dev.headroom.model.scenario.Scenario;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes bitsandbytes' storage of a weight, which is on the GPU in full for as long (bitsandbytes/nn/modules.py,
 * Params4bit._quantize and Int8Params._quantize; functional.py, quantize_4bit and quantize_blockwise).
 */
final class Quantiser {
    private final EagerRuntime runtime;
    private final ModelAssembly model;
    private final boolean fourBit;
    private final boolean nested;
    private final Map<String, QuantisedWeight> weights;

    /** The library keeps one for a process. */
    private @Nullable Tensor dynamic;

    Quantiser(EagerRuntime runtime, ModelAssembly model, Scenario run) {
        this.runtime = runtime;
        this.model = model;
        this.fourBit = run.quant().kind() != null && run.quant().kind().isFourBit();
        this.nested = run.quant().doubleQuant();
        this.weights = QuantisedWeight.of(model.graph());
    }

    /** The table of 8-bit codes, which outlives the loading; {@code null} where none was needed. */
    @Nullable
    Tensor codes() {
        return dynamic;
    }

    boolean quantises(String name) {
        return weights.containsKey(name);
    }

    /** Elements of a weight. */
    long weights(String name) {
        return weight(name).elements();
    }

    private QuantisedWeight weight(String name) {
        return Objects.requireNonNull(weights.get(name), name);
    }

    void load(String name) {
        model.attribute(name);
        QuantisedWeight weight = weight(name);
        try (Frame frame = runtime.frame()) {
            Tensor full = runtime.empty(weight.type(), weight.out(), weight.in());
            if (fourBit) {
                fourBit(name, weight);
            } else {
                int8(name, weight);
            }
            runtime.free(full);
        }
    }

    private void keep(String name, String part, Tensor made) {
        String held = part.equals("weight") ? name : QuantisedWeight.named(name, part);
        runtime.setCategory(made, Category.PARAMETERS);
        model.put(held, runtime.hold(made));
        runtime.free(made);
    }

    private void fourBit(String name, QuantisedWeight weight) {
        long n = weight.elements();
        if (weight.turned()) { // a contiguous copy, which ends with the weight
            runtime.empty(weight.type(), weight.out(), weight.in());
        }
        Tensor absmax = runtime.empty(DType.FLOAT32, FourBit.scales(n));
        DType packed =
                Objects.requireNonNull(model.state().tensors().get(name)).meta().dtype();
        keep(name, "weight", runtime.empty(packed, FourBit.packed(n) / packed.bytes(), 1));
        // get_4bit_type: a table, divided by its greatest entry.
        Tensor code = runtime.empty(DType.FLOAT32, FourBit.CODES);
        Tensor abs = runtime.emptyLike(code);
        Tensor max = runtime.empty(DType.FLOAT32);
        runtime.free(abs);
        runtime.free(max);
        keep(name, "code", code);
        if (!nested) {
            keep(name, "absmax", absmax);
            return;
        }
        Tensor offset = OptimizerArithmetic.mean(runtime, absmax);
        Tensor centred = OptimizerArithmetic.elementwise(runtime, absmax, offset);
        keep(name, "offset", offset);
        if (dynamic == null) {
            dynamic = runtime.hold(runtime.empty(DType.FLOAT32, FourBit.NESTED_CODES));
        }
        Tensor scales = runtime.empty(DType.FLOAT32, FourBit.nestedScales(n));
        keep(name, "absmax", runtime.empty(DType.UINT8, FourBit.scales(n)));
        keep(name, "nested_absmax", scales);
        keep(name, "nested_code", runtime.empty(DType.FLOAT32, FourBit.NESTED_CODES));
        runtime.free(centred);
        runtime.free(absmax);
    }

    /** The weight goes to the host and comes back in float16. */
    private void int8(String name, QuantisedWeight weight) {
        Tensor half = runtime.empty(DType.FLOAT16, weight.out(), weight.in());
        Tensor scales = runtime.empty(DType.FLOAT32, weight.out());
        keep(name, "weight", runtime.empty(DType.INT8, weight.out(), weight.in()));
        keep(name, "SCB", scales);
        runtime.free(half);
    }
}
