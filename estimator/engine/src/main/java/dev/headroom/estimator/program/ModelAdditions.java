package dev.headroom.estimator.program;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.OptimizerArithmetic;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Addition;
import dev.headroom.model.graph.DType;

/** Makes what is added to a model that is on the device, one after another. */
final class ModelAdditions {
    private final EagerRuntime runtime;
    private final ModelAssembly model;

    ModelAdditions(EagerRuntime runtime, ModelAssembly model) {
        this.runtime = runtime;
        this.model = model;
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
            Tensor weight = model.named(step.of().get(0));
            Tensor a = model.named(step.of().get(1));
            Tensor b = model.named(step.of().get(2));
            if (!weight.onDevice()) {
                return model.makeAs(step.tensor(), step.type());
            }
            boolean half = a.dtype() == DType.FLOAT16;
            if (half) {
                a = OptimizerArithmetic.to(runtime, a, DType.FLOAT32);
                b = OptimizerArithmetic.to(runtime, b, DType.FLOAT32);
            }
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
}
