package dev.headroom.estimator.predict;

import dev.headroom.estimator.log.Category;
import dev.headroom.model.run.PhaseMemory;
import java.util.List;
import java.util.Map;

/**
 * What a run would take of one GPU of a process that has several, in bytes.
 *
 * @param device number
 * @param phases in order
 * @param peak the three peaks
 * @param atPeak bytes by category when allocated memory is highest
 * @param rounding allocated minus requested bytes at that moment
 * @param cachedFree reserved minus allocated bytes at that moment
 */
public record DeviceMemory(
        int device,
        List<PhaseMemory> phases,
        Prediction.Peak peak,
        Map<Category, Long> atPeak,
        long rounding,
        long cachedFree) {}
