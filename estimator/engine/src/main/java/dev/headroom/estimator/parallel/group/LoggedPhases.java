package dev.headroom.estimator.parallel.group;

import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.model.run.Moment;

/** Ends a log's phases with those of the loop. */
public record LoggedPhases(CollectiveLog log) implements LoopHook {
    @Override
    public void end(Moment phase) {
        log.endPhase();
    }
}
