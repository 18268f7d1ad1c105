package dev.headroom.advisor.checkpoints;

import dev.headroom.model.scenario.Scenario;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A way to checkpoint a run, and what playing the run with it gave.
 *
 * @param name what it is, such as {@code every block}
 * @param segments for {@link Scenario#checkpoint}; 0: modules are named, or nothing is recomputed
 * @param modules for {@link Scenario#checkpointModules}
 * @param reentrant for {@link Scenario#reentrant}; {@code null}: as that says
 * @param peakAllocated highest allocated bytes of the run
 * @param recomputedFlops FLOPs a training step that are done a second time
 * @param recomputedShare these as a share of the FLOPs of a step that recomputes nothing
 */
public record CheckpointChoice(
        String name,
        int segments,
        List<String> modules,
        @Nullable Boolean reentrant,
        long peakAllocated,
        long recomputedFlops,
        double recomputedShare) {
    public CheckpointChoice {
        modules = List.copyOf(modules);
    }

    /** A copy of the run that checkpoints so. */
    public Scenario applied(Scenario run) {
        return new Candidate(name, segments, modules, reentrant).applied(run);
    }

    /** Whether nothing is recomputed. */
    public boolean storesAll() {
        return segments == 0 && modules.isEmpty();
    }
}
