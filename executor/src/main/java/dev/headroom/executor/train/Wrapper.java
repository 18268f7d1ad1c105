package dev.headroom.executor.train;

import dev.headroom.executor.autograd.BackwardPass;
import dev.headroom.executor.optim.Optimizer;
import dev.headroom.executor.program.ModelMemory;
import dev.headroom.executor.program.ModuleHooks;
import dev.headroom.executor.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a model is wrapped in to be trained together with other ranks. */
public interface Wrapper extends AutoCloseable {
    /**
     * Wraps the model.
     *
     * @param backwardPass runs all its backward passes
     */
    void wrap(ModelMemory model, BackwardPass backwardPass);

    /** What runs around modules of the wrapped model, by path, "" for the model itself. */
    default Map<String, ModuleHooks> hooks() {
        return Map.of();
    }

    /** Whether hooks of a checkpointed module run outside of the checkpoint. */
    default boolean hooksAreAroundCheckpoints() {
        return true;
    }

    /**
     * Makes the optimizer.
     *
     * @param parameters {@code model.parameters()}
     * @param own makes one of some parameters; it makes {@code null} for a run without optimizer
     */
    default @Nullable Optimizer optimizer(List<Tensor> parameters, Function<List<Tensor>, @Nullable Optimizer> own) {
        return own.apply(parameters);
    }

    /**
     * The model is called.
     *
     * @param last whether it is the last pass of an accumulated step
     */
    void beforeForward(boolean last);

    /**
     * The model has returned.
     *
     * @param made with a reference each that passes over; {@code null} for an output that is no tensor
     * @return the same, or others with a reference each for the caller
     */
    @Nullable
    Tensor[] afterForward(@Nullable Tensor[] made);

    /**
     * Makes norms of all ranks' gradients out of those of this rank's.
     *
     * @param norms a list of them
     * @return the same, or another as a local of the running scope
     */
    default Tensor ofAllRanks(Tensor norms) {
        return norms;
    }

    /** A GradScaler has looked at this rank's gradients, and others must know what it found. */
    default void lookedForInfinities(Tensor found) {}

    /** Memory was read at the end of a phase, and the host rests. */
    void rest();

    /** Lets go of all that it keeps, whatever state the run ended in. */
    @Override
    void close();
}
