package dev.headroom.advisor.checkpoints;

import dev.headroom.model.scenario.Scenario;
import java.util.List;

/** A way to checkpoint that has not been played yet; the components are those of {@link CheckpointChoice}. */
record Candidate(String name, int segments, List<String> modules, Boolean reentrant) {
    static final Candidate STORE_ALL = new Candidate("store all", 0, List.of(), null);

    Scenario applied(Scenario run) {
        Scenario copy = run.copy();
        copy.checkpoint = segments;
        copy.checkpointModules = modules;
        copy.reentrant = reentrant;
        return copy;
    }
}
