package dev.headroom.estimator.loop;

import dev.headroom.estimator.op.core.Squeeze;
import dev.headroom.estimator.op.loss.Losses;
import dev.headroom.estimator.op.loss.MoreLosses;
import dev.headroom.estimator.program.ModelTypes;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.Precision;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The loss of a run: what it compares the model's first output with, and how it is computed. */
final class Criterion {
    private final EagerRuntime runtime;
    private final PreparedRun prepared;
    private @Nullable OutputShape firstOutput;
    private @Nullable LossKind kind;

    Criterion(EagerRuntime runtime, PreparedRun prepared) {
        this.runtime = runtime;
        this.prepared = prepared;
    }

    /** Found out when it is first asked for: it may take a forward pass on the side. */
    private OutputShape firstOutput() {
        if (firstOutput == null) {
            firstOutput = OutputShape.of(prepared.graph(), prepared.symbols());
        }
        return firstOutput;
    }

    /** Whether the outputs are let go of with the loss. */
    boolean dropsOutputs() {
        return kind() == LossKind.SHIFTED;
    }

    private LossKind kind() {
        if (kind == null) {
            kind = prepared.loss(firstOutput().sizes());
        }
        return kind;
    }

    /**
     * What the loss compares with: class indices, or values like the output's; {@code null} when it needs nothing.
     *
     * @return with a reference for the caller
     * @throws UserInputException when the model returns nothing that such a loss can be taken of
     */
    @Nullable
    Tensor target() {
        OutputShape out = firstOutput();
        return switch (kind()) {
            case CROSS_ENTROPY, LABEL_SMOOTHING -> labels(classified(out.sizes()));
            case BCE -> labels(out.sizes());
            case TOKENS, SHIFTED -> {
                long[] tokens = Arrays.copyOf(tokenScores(out.sizes()), out.sizes().length - 1);
                yield Batch.held(runtime, DType.INT64, tokens, Shapes.contiguous(tokens));
            }
            case MSE -> Batch.held(runtime, values(out.type()), out.sizes(), Shapes.contiguous(out.sizes()));
            default -> null;
        };
    }

    /** The type of values like an output's: data know nothing of autocast, under which a model may be exported. */
    private DType values(DType output) {
        Precision run = prepared.scenario().precision();
        boolean cast = run.dtype() == null && output == run.amp();
        return cast ? DType.FLOAT32 : ModelTypes.under(output, run.dtype());
    }

    private static long[] tokenScores(long[] scores) {
        if (scores.length < 2) {
            throw new UserInputException("`loss=tokens` needs scores for each token, but the model's first output has "
                    + scores.length + " dimensions; name another `loss`");
        }
        return scores;
    }

    private Tensor labels(long[] scores) {
        if (scores.length < 1) {
            throw new UserInputException(
                    "`loss=cross-entropy` needs class scores, but the model's first output is a scalar;"
                            + " use `loss=output`");
        }
        long[] labels = new long[scores.length - 1];
        for (int i = 0; i < labels.length; i++) {
            labels[i] = scores[i == 0 ? 0 : i + 1];
        }
        return Batch.held(runtime, DType.INT64, labels, Shapes.contiguous(labels));
    }

    /** Scores of one class make no loss: singleton dimensions between batch and classes are squeezed, as users do. */
    private static long[] classified(long[] sizes) {
        boolean single = sizes.length > 2 && sizes[1] == 1;
        return single ? Arrays.stream(sizes).filter(s -> s != 1).toArray() : sizes;
    }

    /**
     * Computes the loss.
     *
     * @param out the model's first output; {@code null} when it is no tensor
     * @param target as made by {@link #target}
     * @return a local variable of the running frame, or the output itself
     * @throws UserInputException when no loss can be taken of the output, or it is to be the loss and is no scalar
     */
    Tensor loss(@Nullable Tensor out, @Nullable Tensor target) {
        if (out == null) {
            throw new UserInputException(
                    "the model's first output is no tensor, so there is nothing to train on; export"
                            + " a model that returns first what its loss is taken of");
        }
        return switch (kind()) {
            case CROSS_ENTROPY ->
                Losses.crossEntropy(
                        runtime,
                        out.dim() > 2 && out.size(1) == 1 ? Squeeze.all(runtime, out) : out,
                        given(target),
                        null,
                        Losses.Reduction.MEAN);
            case TOKENS -> Losses.ofTokens(runtime, out, given(target));
            case SHIFTED -> Losses.ofNextTokens(runtime, out, given(target));
            case BCE -> MoreLosses.binary(runtime, out, given(target));
            case LABEL_SMOOTHING -> MoreLosses.smoothed(runtime, out, given(target));
            case MSE -> Losses.mse(runtime, out, given(target), Losses.Reduction.MEAN);
            case SUM -> Losses.sum(runtime, out);
            default -> scalar(out);
        };
    }

    private static Tensor given(@Nullable Tensor target) {
        return Objects.requireNonNull(target, "a target");
    }

    private static Tensor scalar(Tensor out) {
        if (out.numel() != 1) {
            throw new UserInputException("`loss=output` needs a model whose first output is a scalar, but it has "
                    + out.numel() + " elements; name another `loss`");
        }
        return out;
    }
}
