package dev.headroom.executor.train;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.loss.LossOperators;
import dev.headroom.executor.program.ModelMemory;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.Scenario;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the loss compares the model's first output with.
 *
 * @param type {@code null} when it compares with nothing
 * @param classes that labels are of; 0 when it compares no classes
 */
public record Target(LossKind loss, @Nullable DType type, long[] sizes, long classes) {
    /**
     * The target of a run.
     *
     * @param loss what is asked for, or chosen where nothing is
     * @param outputType as in the graph, before the run's {@code dtype}
     */
    public static Target of(LossKind loss, DType outputType, long[] output, Scenario run) {
        return switch (loss) {
            case TOKENS -> tokens(output);
            case CROSS_ENTROPY -> labelled(loss, scores(output));
            case MSE -> new Target(loss, values(outputType, run), output, 0);
            case BCE, LABEL_SMOOTHING ->
                throw new UserInputException("the executor does not compute this loss; choose another `loss`");
            default -> new Target(loss, null, new long[0], 0);
        };
    }

    /** The type of values like an output's: data know nothing of autocast, under which a model may be exported. */
    private static DType values(DType output, Scenario run) {
        boolean cast =
                run.precision().dtype() == null && output == run.precision().amp();
        return cast ? DType.FLOAT32 : ModelMemory.underRun(output, run);
    }

    /** Scores of a single class make no loss: dimensions of size 1 are squeezed, as users do. */
    static long[] scores(long[] output) {
        boolean single = output.length > 2 && output[1] == 1;
        return single ? Arrays.stream(output).filter(s -> s != 1).toArray() : output;
    }

    private static Target tokens(long[] scores) {
        if (scores.length < 2) {
            throw new UserInputException(
                    "a loss of tokens needs scores for each of them, but the model's first output has " + scores.length
                            + " dimensions; choose another loss");
        }
        long[] labels = Arrays.copyOf(scores, scores.length - 1);
        return new Target(LossKind.TOKENS, DType.INT64, labels, scores[scores.length - 1]);
    }

    private static Target labelled(LossKind loss, long[] scores) {
        long[] labels = labels(scores);
        return new Target(loss, DType.INT64, labels, scores[scores.length == 1 ? 0 : 1]);
    }

    /**
     * The loss, a local of the running scope.
     *
     * @param out the model's first output
     * @param labels of this target's type and sizes; {@code null} when it compares with nothing
     * @throws UserInputException when the output itself is to be the loss and is no scalar
     */
    public Tensor loss(Eager eager, Tensor out, @Nullable Tensor labels) {
        return switch (loss) {
            case MSE -> LossOperators.mseLoss(eager, out, given(labels));
            case BCE, LABEL_SMOOTHING -> throw new IllegalStateException(loss.name());
            case SUM -> LossOperators.sum(eager, out);
            case OUTPUT -> scalar(out);
            case TOKENS -> {
                long classes = out.sizes()[out.sizes().length - 1];
                Tensor rows = Views.reshape(eager, out, out.elements() / Math.max(classes, 1), classes);
                Tensor scores = Copies.to(eager, rows, DType.FLOAT32);
                Tensor all = given(labels);
                yield LossOperators.crossEntropy(eager, scores, Views.reshape(eager, all, all.elements()));
            }
            case SHIFTED ->
                throw new UserInputException("the executor has no loss of shifted scores; choose another loss");
            case CROSS_ENTROPY, AUTO -> {
                Tensor scores = scores(out.sizes()) == out.sizes() ? out : Views.squeeze(eager, out);
                yield LossOperators.crossEntropy(eager, scores, given(labels));
            }
        };
    }

    private static Tensor given(@Nullable Tensor labels) {
        return Objects.requireNonNull(labels, "labels");
    }

    private static Tensor scalar(Tensor out) {
        if (out.elements() != 1) {
            throw new UserInputException(
                    "a loss that is the model's output needs a model whose first output is a scalar, but it has "
                            + out.elements() + " elements; choose another loss");
        }
        return out;
    }

    private static long[] labels(long[] scores) {
        if (scores.length == 0) {
            throw new UserInputException("cross entropy needs class scores, but the model's first output is a scalar;"
                    + " choose the output itself as the loss");
        }
        long[] out = new long[scores.length - 1];
        for (int i = 0; i < out.length; i++) {
            out[i] = scores[i == 0 ? 0 : i + 1];
        }
        return out;
    }
}
