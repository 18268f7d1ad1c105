package dev.headroom.advisor.serving;

import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;

/**
 * Where a run of {@code generate()} ended.
 *
 * @param fits whether it got through
 * @param reserved peak of reserved bytes
 * @param peak of allocated bytes
 * @param end bytes that were allocated after its last pass
 */
record Run(boolean fits, long reserved, long peak, long end) {
    static Run of(Simulation played) {
        long end = played.phases().stream()
                .filter(p -> p.phase() == Phase.PREFILL || p.phase() == Phase.DECODE)
                .mapToLong(PhaseMemory::allocated)
                .reduce(0, (before, next) -> next);
        return new Run(played.oom() == null, played.maxReserved(), played.maxAllocated(), end);
    }
}
