package dev.headroom.advisor.checkpoints;

import dev.headroom.model.scenario.Checkpointing;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A way to checkpoint that has not been played yet; the components are those of {@link CheckpointChoice}. */
record Candidate(
        String name,
        int segments,
        List<String> modules,
        @Nullable Boolean reentrant) {
    static final Candidate STORE_ALL = new Candidate("store all", 0, List.of(), null);

    /** What a run with it recomputes. */
    Checkpointing checkpointing() {
        return new Checkpointing(segments, modules, reentrant);
    }

    Scenario applied(Scenario run) {
        return run.withCheckpointing(checkpointing());
    }
}
