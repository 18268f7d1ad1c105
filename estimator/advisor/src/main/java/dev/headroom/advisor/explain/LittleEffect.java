package dev.headroom.advisor.explain;

import dev.headroom.advisor.change.Target;
import dev.headroom.estimator.log.Category;
import dev.headroom.model.run.Phase;

/** Why a change does little, told from what the peak holds of the memory that it is after. */
final class LittleEffect {
    /** Less than a fourth of the peak says why taking it away does little. */
    private static final int FEW = 4;

    private final ExplainedRun explained;

    LittleEffect(ExplainedRun explained) {
        this.explained = explained;
    }

    /** Half a sentence; "" where there is no more to say. */
    String why(Target target) {
        return switch (target) {
            case SAVED_ACTIVATIONS ->
                bytes(Category.SAVED_ACTIVATIONS) * FEW < explained.peak().allocated()
                        ? "of the peak " + at(Category.SAVED_ACTIVATIONS) + " saved activations"
                        : "";
            case LAYER_ACTIVATIONS -> "a checkpoint keeps its input, as the layer does";
            case BATCH -> "what makes the peak does not depend on the batch";
            case OPERATOR_RESULTS -> keepTheirType();
            case OLD_GRADIENTS -> "those at the peak are of this step";
            case OPTIMIZER_STATE -> "of the peak " + at(Category.OPTIMIZER_STATE) + " optimizer state";
            case OPTIMIZER_STEP -> {
                Phase phase = explained.peak().phase().phase();
                yield phase == Phase.OPTIMIZER ? "" : "the peak is in " + phase;
            }
            case OLD_OUTPUTS -> oldOutputs();
        };
    }

    private String keepTheirType() {
        long fixed = bytes(Category.PARAMETERS) + bytes(Category.GRADIENTS) + bytes(Category.OPTIMIZER_STATE);
        return (explained.run().loop().inference() ? "parameters, " : "parameters, gradients and state, ")
                + Words.size(fixed) + ", keep their type, and weights are copied";
    }

    private String oldOutputs() {
        long old = AliveAt.bornBefore(explained.peak().holdings(Category.OUTPUTS), explained.stepBegins());
        return old == 0
                ? "at the peak none of the step before are alive"
                : "of the step before only " + Words.size(old) + " are alive at the peak";
    }

    private long bytes(Category c) {
        return explained.peak().bytes(c);
    }

    /** {@code 1.20 GiB (3 %) are}, or {@code none is}. */
    private String at(Category c) {
        String share = Words.share(bytes(c), explained.peak().allocated());
        return bytes(c) == 0 ? "none is" : Words.size(bytes(c)) + " (" + share + ") are";
    }
}
