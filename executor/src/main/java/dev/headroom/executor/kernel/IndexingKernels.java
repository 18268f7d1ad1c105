package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** Kernels that pick or place elements by indices, and losses that look up a class. */
public interface IndexingKernels {
    /**
     * {@code x[indices]}.
     *
     * @param result dimensions of the indices, broadcast, where the first of them stands, then what is not
     *     indexed; at the front when dimensions between indices are not indexed
     * @param indices one for each dimension of {@code x}, 64 bits; {@code null} where all entries are taken
     */
    void index(Tensor result, Tensor x, @Nullable Tensor[] indices);

    /** {@code into[indices] += values}, with {@code values} shaped as the result of {@link #index}. */
    default void indexAdd(Tensor into, @Nullable Tensor[] indices, Tensor values) {
        indexAdd(into, indices, values, 1);
    }

    /** {@code into[indices] += factor * values}, likewise. */
    void indexAdd(Tensor into, @Nullable Tensor[] indices, Tensor values, double factor);

    /** {@code into[indices] = values}, likewise; of several elements that go to one place, any one stays. */
    void indexPut(Tensor into, Tensor[] indices, Tensor values);

    /** {@code result[i][j] = x[index[i][j]][j]} for dimension 0, and so on; shaped as the index. */
    void gather(Tensor result, Tensor x, int dim, Tensor index);

    /** {@code into[index[i][j]][j] += values[i][j]} for dimension 0, and so on. */
    void scatterAdd(Tensor into, int dim, Tensor index, Tensor values);

    /** {@code into[index[i][j]][j] = values[i][j]} for dimension 0, and so on; a scalar in host memory everywhere. */
    void scatter(Tensor into, int dim, Tensor index, Tensor values);

    /** How elements that go to one place become one. */
    enum Combine {
        PRODUCT,
        MAX,
        MIN
    }

    /** What is at {@code into[index[i][j]][j]}, and {@code values[i][j]}, become one for dimension 0, and so on. */
    void scatterCombine(Combine how, Tensor into, int dim, Tensor index, Tensor values);

    /**
     * Where each value would go in lines of numbers that ascend.
     *
     * @param lines one line, or one for each of the values' leading places
     * @param after behind equal numbers, else before them
     */
    void search(Tensor places, Tensor lines, Tensor values, boolean after);

    /**
     * Sums, means or extremes of the rows of each bag, and what is noted on the way: the bag of each index, the size of
     * each bag, and for extremes the index of each result.
     *
     * @param largest without elements unless extremes are taken
     */
    void bags(BagCall call, Tensor result, Tensor weight, Tensor bagOf, Tensor sizes, Tensor largest);

    /** The gradient of the table in {@link #bags}; zeros before. */
    void bagsBackward(BagCall call, Tensor gradient, Tensor g, Tensor bagOf, Tensor sizes, Tensor largest);

    /** The gradient of the factors in {@link #bags}. */
    void bagFactorsBackward(BagCall call, Tensor gradient, Tensor g, Tensor weight, Tensor bagOf);

    /** Sets the n-th element, in row-major order, to {@code start + n * step}. */
    void range(Tensor result, double start, double step);

    /** Copies the matrix on and above ({@code upper}) or on and below a diagonal; zeros elsewhere. */
    void triangle(Tensor result, Tensor x, long diagonal, boolean upper);

    /**
     * {@code nll_loss} of scores (n, classes, rest).
     *
     * @param result a scalar, or (n, rest) when there is a loss for each target
     */
    void classLoss(ClassLossCall call, Tensor scores, Tensor result);

    /** The gradient of the scores in {@link #classLoss}; {@code gradient} is all zeros before. */
    void classLossBackward(ClassLossCall call, Tensor g, Tensor gradient);

    /**
     * How targets are to be found in {@code ctc_loss}; lines of whole numbers of 64 bits, one for each sample.
     *
     * @param targets labels
     * @param begins where each target begins, in elements
     * @param stride from label to label
     * @param targetLengths labels of each target
     * @param inputLengths steps of each input
     * @param blank the label between labels
     */
    record Alignment(
            Tensor targets, Tensor begins, long stride, Tensor targetLengths, Tensor inputLengths, long blank) {}

    /**
     * {@code _ctc_loss}: the logarithm of the probability of all beginnings of a target, blanks around its labels.
     *
     * @param logs (steps, samples, classes)
     * @param alpha (samples, steps, states); minus infinity where there is no such state
     * @param losses of each sample: minus the logarithm of the target's probability
     */
    void align(Alignment of, Tensor logs, Tensor alpha, Tensor losses);

    /** As {@link #align}, of all endings. */
    void alignBack(Alignment of, Tensor logs, Tensor beta);

    /**
     * Takes the probability of each label at each step from {@code gradient}, times {@code g}; zeros behind an input's
     * end.
     *
     * @param blanks of blanks as well
     * @param spared whether samples of infinite loss are left alone
     */
    void alignGradient(
            Alignment of,
            Tensor[] tables,
            Tensor logs,
            Tensor losses,
            Tensor g,
            Tensor gradient,
            boolean blanks,
            boolean spared);

    /**
     * Sets the elements that a mask picks to those of a line, one after the other; the others stay.
     *
     * @param mask of the result's shape
     * @param counts 64-bit, a line: how many the mask picks up to each place, that included
     */
    void maskedScatter(Tensor result, Tensor mask, Tensor counts, Tensor source);

    /** Puts the elements that a mask picks at the beginning of a line; what is behind them stays. */
    void maskedTake(Tensor line, Tensor mask, Tensor x);
}
