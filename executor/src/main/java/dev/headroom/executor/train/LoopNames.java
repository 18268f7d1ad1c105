package dev.headroom.executor.train;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the loop's names {@code outputs} and {@code loss} hold, until they are bound anew or deleted. */
final class LoopNames {
    private final Eager eager;
    private @Nullable Tensor[] outputs = {};
    private @Nullable Tensor loss;

    LoopNames(Eager eager) {
        this.eager = eager;
    }

    /** PyTorch's loops train on the first output that is a tensor. */
    Tensor firstOutput() {
        return Arrays.stream(outputs).filter(Objects::nonNull).findFirst().orElseThrow();
    }

    Tensor loss() {
        return Objects.requireNonNull(loss, "a loss");
    }

    /** @param made with a reference each that passes over */
    void bindOutputs(@Nullable Tensor[] made) {
        deleteOutputs();
        outputs = made;
    }

    /** @param made a local variable of the running scope */
    void bindLoss(Tensor made) {
        eager.hold(made);
        eager.free(made);
        eager.release(loss);
        loss = made;
    }

    void deleteOutputs() {
        for (Tensor t : outputs) {
            eager.release(t);
        }
        outputs = new Tensor[0];
    }

    /** {@code del outputs, loss}. */
    void delete() {
        deleteOutputs();
        eager.release(loss);
        loss = null;
    }
}
