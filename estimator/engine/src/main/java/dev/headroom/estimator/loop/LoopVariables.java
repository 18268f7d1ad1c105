package dev.headroom.estimator.loop;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.program.Variables;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the names {@code outputs} and {@code loss} of the loop hold. They live until the next iteration binds
 * the names anew, and by then its own values are there beside them.
 */
public final class LoopVariables {
    private final EagerRuntime runtime;
    private Tensor[] outputs = {};
    private @Nullable Tensor loss;

    /** Names that the model's graph binds itself: a script's, and attributes of the model. */
    private final Variables names;

    /** @param caller of the model, for what else a pass changes */
    LoopVariables(EagerRuntime runtime, Variables.Caller caller) {
        this.runtime = runtime;
        this.names = new Variables(runtime, caller);
    }

    Variables names() {
        return names;
    }

    Tensor[] outputs() {
        return outputs;
    }

    Tensor loss() {
        return Objects.requireNonNull(loss, "a loss");
    }

    /** @param made with a reference each that passes over; {@code null} for an output that is no tensor */
    void bindOutputs(Tensor[] made) {
        releaseOutputs();
        outputs = made;
        for (Tensor t : outputs) {
            if (t != null && t.storage().category() != Category.PARAMETERS) {
                runtime.setCategory(t, Category.OUTPUTS);
            }
        }
    }

    /** @param made a local variable of the running frame, or an output */
    void bindLoss(Tensor made) {
        runtime.hold(made);
        runtime.setCategory(made, Category.OUTPUTS);
        runtime.free(made);
        runtime.release(loss);
        loss = made;
    }

    /** Adds what the names hold. */
    void describe(Beginning to) {
        to.parts(Arrays.asList(outputs));
        to.part(loss);
        names.describe(to);
    }

    /** {@code outputs = None}. */
    void deleteOutputs() {
        names.deleteAll();
        releaseOutputs();
    }

    /** {@code del loss}. */
    void deleteLoss() {
        runtime.release(loss);
        loss = null;
    }

    /** {@code del outputs, loss}. */
    public void delete() {
        deleteOutputs();
        deleteLoss();
    }

    /** The name {@code outputs} changes hands before its next tensors are known. */
    void releaseOutputs() {
        for (Tensor t : outputs) {
            runtime.release(t);
        }
        outputs = new Tensor[0];
    }
}
