package dev.headroom.estimator.op.loss;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * What cuDNN's deterministic {@code ctc_loss} works in (cudnnGetCTCLossWorkspaceSize_v8, asked by
 * ATen/native/cudnn/LossCTC.cpp for targets of up to 255 labels): for each sample two tables of states by
 * steps, a table of classes by steps, and labels. Read off an H200's answers
 * (fixtures/operators/h200), all of which it equals.
 */
final class CtcWorkspace {
    private static final int LABELS = 255;
    private static final int STATES = 2 * LABELS + 1;

    /** Words beside the tables: of labels, with two more. */
    private static final int WORDS = STATES + 2;

    private CtcWorkspace() {}

    /** Takes the workspace, which the caller frees; {@code null} in runs without. */
    static @Nullable Tensor take(EagerRuntime rt, Tensor logs) {
        if (rt.options().stubCudnn() || rt.options().cudnnWorkspace() != null) {
            return null;
        }
        return rt.workspaces().takeCudnn(bytes(logs.size(0), logs.size(1), logs.size(2)));
    }

    /** Bytes. */
    static long bytes(long steps, long batch, long classes) {
        return Float.BYTES * batch * (2 * STATES * steps + classes * steps + WORDS);
    }
}
