package dev.headroom.explain;

import dev.headroom.predict.PredictionRequest;
import dev.headroom.timeline.PlayedRun;
import java.util.ArrayList;
import java.util.List;

/**
 * Why a run takes the memory it takes.
 *
 * @param run as it was asked for; cut short where memory ran out
 * @param findings the most important first
 */
public record Explanation(PlayedRun run, List<Finding> findings) {
    /**
     * Plays the run of a question and explains it. What ran out of memory is explained twice: where it failed, and what
     * it would have done with room to spare.
     *
     * @throws dev.headroom.graph.GraphException for impossible input, with a message for the user
     */
    public static Explanation of(PredictionRequest request) {
        return of(PlayedRun.of(request));
    }

    /** As {@link #of(PredictionRequest)}, of a run that was played already. */
    public static Explanation of(PlayedRun run) {
        boolean failed = run.prediction().oom() != null;
        Story story = new Story(failed ? PlayedRun.of(run.request().unbounded()) : run);
        List<Finding> findings = new ArrayList<>();
        findings.add(PeakFinding.of(story));
        findings.add(AliveFinding.of(story));
        findings.addAll(ChangeFindings.of(story, run.request()));
        findings.addAll(PhaseFindings.of(story));
        findings.addAll(StepFindings.of(story));
        findings.addAll(DeviceFindings.of(story));
        return new Explanation(run, List.copyOf(findings));
    }
}
