package dev.headroom.estimator.program;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.OptimizerArithmetic;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Addition;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.quant.pass.QuantisedWeight;
import java.util.Map;
import java.util.Objects;

/** Makes what is added to a model that is on the device, one after another. */
final class ModelAdditions {
    private final EagerRuntime runtime;
    private final ModelAssembly model;
    private final Map<String, QuantisedWeight> quantised;

    ModelAdditions(EagerRuntime runtime, ModelAssembly model) {
        this.runtime = runtime;
        this.model = model;
        this.quantised = model.state().additions().isEmpty() ? Map.of() : QuantisedWeight.of(model.graph());
    }

    void make(Addition step) {
        String name = step.tensor();
        Tensor before = model.named(name);
        switch (step.kind()) {
            case NEW, COPY, CONVERSION -> model.put(name, model.makeAs(name, step.type()));
            case ROW_NORMS, COLUMN_NORMS -> model.put(name, norms(step));
        }
        runtime.release(before);
    }

    /**
     * The norm of each row of {@code weight + scaling * B @ A} (peft, tuners/lora/dora.py, update_layer); what autograd
     * keeps of it is gone once the norms are a parameter.
     */
    private Tensor norms(Addition step) {
        model.attribute(step.tensor());
        try (Frame frame = runtime.frame()) {
            Tensor a = named(step.of().get(1));
            Tensor b = named(step.of().get(2));
            if (!a.onDevice()) {
                return model.makeAs(step.tensor(), step.type());
            }
            boolean half = a.dtype() == DType.FLOAT16;
            if (half) {
                a = OptimizerArithmetic.to(runtime, a, DType.FLOAT32);
                b = OptimizerArithmetic.to(runtime, b, DType.FLOAT32);
            }
            Tensor weight = weight(step.of().get(0));
            Tensor difference = OptimizerArithmetic.matmul(runtime, b, a);
            if (half) {
                Tensor exact = difference;
                difference = OptimizerArithmetic.to(runtime, exact, DType.FLOAT16);
                runtime.free(exact);
            }
            Tensor scaled = OptimizerArithmetic.elementwise(runtime, difference);
            Tensor turned = step.kind() == Addition.Kind.COLUMN_NORMS
                    ? OptimizerArithmetic.transposed(runtime, weight)
                    : weight;
            Tensor sum = OptimizerArithmetic.elementwise(runtime, turned, scaled);
            runtime.free(scaled);
            Tensor norms = OptimizerArithmetic.rowNorms(runtime, sum);
            runtime.setCategory(norms, Category.PARAMETERS);
            return runtime.hold(norms);
        }
    }

    private Tensor named(String name) {
        return Objects.requireNonNull(model.named(name), name);
    }

    /** A weight as it is, or restored. */
    private Tensor weight(String name) {
        QuantisedWeight packed = quantised.get(name);
        if (packed == null) {
            return named(name);
        }
        String layer = ModelState.owner(name);
        boolean fourBit = model.state().tensors().containsKey(layer + ".absmax");
        if (!fourBit) {
            return OptimizerArithmetic.dequantised8Bit(runtime, packed.out(), packed.in());
        }
        copyOf(layer);
        Tensor nested =
                model.state().tensors().containsKey(layer + ".nested_absmax") ? named(layer + ".nested_absmax") : null;
        return OptimizerArithmetic.dequantised4Bit(
                runtime, named(layer + ".absmax"), nested, packed.type(), packed.out(), packed.in());
    }

    /** {@code copy.deepcopy} of a layer: its weight with its state, then the state again (bitsandbytes, Linear4bit). */
    private void copyOf(String layer) {
        copyState(layer);
        deepCopy(layer + ".weight");
        if (model.state().tensors().containsKey(layer + ".bias")) {
            OptimizerArithmetic.copy(runtime, named(layer + ".bias"));
        }
        copyState(layer);
    }

    private void copyState(String layer) {
        for (String part : new String[] {"absmax", "code", "offset", "nested_absmax", "nested_code"}) {
            deepCopy(layer + "." + part);
        }
    }

    /** A tensor's storage is copied, then put into an empty tensor (torch/_tensor.py, __deepcopy__). */
    private void deepCopy(String name) {
        if (model.state().tensors().containsKey(name)) {
            Tensor t = named(name);
            runtime.emptyLike(t);
            runtime.free(runtime.empty(t.dtype()));
        }
    }
}
