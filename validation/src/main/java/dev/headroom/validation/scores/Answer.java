package dev.headroom.validation.scores;

import org.jspecify.annotations.Nullable;

/**
 * What an estimator, Headroom or another, said of one measured run.
 *
 * @param peak {@code null} where the run or the estimator had no bytes to compare: one of them ran out of memory
 * @param verdict {@code null} where it is not known whether memory ran out
 */
public record Answer(@Nullable Peak peak, Verdicts.@Nullable Verdict verdict) {}
