package dev.headroom.validation.scores;

import java.util.Collection;
import java.util.Locale;
import java.util.Objects;

/**
 * How an estimator did over some runs.
 *
 * @param errors relative, where there are bytes to compare: the run got through and the estimator said so, as the xMem
 *     paper compares
 * @param verdicts over all runs with an answer
 */
public record EstimatorScore(String name, Distribution errors, Verdicts verdicts) {
    /** Counts. */
    public static EstimatorScore of(String name, Collection<Answer> answers) {
        return new EstimatorScore(
                name,
                Distribution.of(answers.stream()
                        .map(Answer::peak)
                        .filter(Objects::nonNull)
                        .mapToDouble(Peak::size)
                        .toArray()),
                Verdicts.of(answers.stream()
                        .map(Answer::verdict)
                        .filter(Objects::nonNull)
                        .toList()));
    }

    /** Runs whose bytes are compared. */
    public int compared() {
        return errors.count();
    }

    /** The median of the errors. */
    public double median() {
        return errors.median();
    }

    /** The cells of a table. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%d | %.2f %% | %.2f %% | %d of %d",
                compared(),
                100 * errors.median(),
                100 * errors.mean(),
                verdicts.right(),
                verdicts.judged());
    }
}
