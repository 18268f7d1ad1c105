package dev.headroom.estimator.parallel.pipeline;

import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.program.ModelTypes;
import dev.headroom.estimator.program.ValueShape;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.parts.Division;
import dev.headroom.model.parts.Part;
import dev.headroom.model.plan.Placement;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where a stage gets activations and gradients: a buffer a microbatch, for the whole life of the stage. */
final class Buffers {
    private final TrainingLoop loop;
    private final EagerRuntime runtime;
    private final PreparedRun rows;
    private final Division division;
    private final int index;
    private final List<StageRegime> regimes;
    private final Map<String, ValueShape> shapes = new HashMap<>();

    /** None for the first stage. */
    private final List<Tensor> inputs = new ArrayList<>();

    /** Of outputs; none for the last stage. */
    private final List<Tensor> gradients = new ArrayList<>();

    /** @param rows the run of one microbatch */
    Buffers(TrainingLoop loop, PreparedRun rows, Division division, int index, List<StageRegime> regimes) {
        this.loop = loop;
        this.runtime = loop.runtime();
        this.rows = rows;
        this.division = division;
        this.index = index;
        this.regimes = regimes;
    }

    private Part part() {
        return division.parts().get(index);
    }

    /** _setup_forward_recv_info. */
    void makeInputs(int microbatches) {
        for (int m = 0; m < microbatches && index > 0; m++) {
            inputs.add(buffer(part().inputs().get(0)));
        }
    }

    /** _setup_backward_recv_info. */
    void makeGradients(int microbatches) {
        for (int m = 0; m < microbatches && index < division.parts().size() - 1; m++) {
            gradients.add(buffer(part().outputs().get(0)));
        }
    }

    private Tensor buffer(String value) {
        ValueShape shape = shapes.computeIfAbsent(value, this::shape);
        try (Frame frame = runtime.frame()) {
            return runtime.hold(runtime.emptyStrided(handedOn(shape.type()), shape.sizes(), shape.strides()));
        }
    }

    private @Nullable ValueShape shape(String value) {
        ValueShape whole = ValueShape.of(rows.graph(), rows.symbols(), value);
        for (StageRegime r : regimes) {
            Placement placement = r.received(division.readers(value));
            if (placement != null) {
                long[] sizes = r.local(whole.sizes(), placement.of(whole.sizes().length));
                return new ValueShape(whole.type(), sizes, Shapes.contiguous(sizes));
            }
        }
        return whole;
    }

    /** The type in which activations go from stage to stage. */
    private DType handedOn(DType exported) {
        Scenario run = loop.prepared().scenario();
        DType own = ModelTypes.under(exported, run.precision().dtype());
        DType gathered = run.parallel().sharding().paramDtype();
        return gathered == null || !own.isFloatingPoint() ? own : gathered;
    }

    Tensor input(int microbatch) {
        return inputs.get(microbatch);
    }

    Tensor gradient(int microbatch) {
        return gradients.get(microbatch);
    }

    /** The neighbour is on this rank: its output takes the place of a buffer. */
    void setInput(int microbatch, Tensor output) {
        try (Frame frame = runtime.frame()) {
            Tensor detached = runtime.hold(runtime.detach(output));
            runtime.release(inputs.set(microbatch, detached));
        }
    }

    /** The neighbour is on this rank: the gradient takes the place of a buffer. Takes over the reference. */
    void setGradient(int microbatch, Tensor gradient) {
        runtime.release(gradients.set(microbatch, gradient));
    }

    /** What earlier steps left at activations. */
    void dropGradients() {
        inputs.forEach(b -> runtime.setGrad(b, null));
    }
}
