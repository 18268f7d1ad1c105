package dev.headroom.estimator.predict;

import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import java.util.List;

/**
 * The phases of a run that ended.
 *
 * @param phases the allocator at the end of each, in order
 * @param ends events in the log at the end of each
 */
public record PhaseHistory(List<PhaseMemory> phases, List<Integer> ends) {
    /** Number of the first event of a phase. */
    public int start(int phase) {
        return phase == 0 ? 0 : ends.get(phase - 1);
    }

    /** Number of the event that follows the last one of a phase. */
    public int end(int phase) {
        return ends.get(phase);
    }

    /** The phase in which allocated memory was first at its highest. There must be one. */
    public PhaseMemory ofPeak() {
        long highest = phases.get(phases.size() - 1).maxAllocated();
        return phases.stream()
                .filter(p -> p.maxAllocated() == highest)
                .findFirst()
                .orElseThrow();
    }

    /** Events until the first forward pass was done; 0 when none was. */
    public int firstForwardEnd() {
        for (int i = 0; i < phases.size(); i++) {
            if (phases.get(i).phase() == Phase.FORWARD) {
                return end(i);
            }
        }
        return 0;
    }
}
