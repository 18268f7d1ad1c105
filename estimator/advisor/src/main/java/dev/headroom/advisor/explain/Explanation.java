package dev.headroom.advisor.explain;

import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Ranks;
import dev.headroom.estimator.timeline.PlayedRun;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;

/**
 * Why a run takes the memory it takes.
 *
 * @param run as it was asked for; cut short where memory ran out
 * @param findings the most important first
 * @param remarks what the user should know besides, one line each
 */
public record Explanation(PlayedRun run, List<Finding> findings, List<String> remarks) {
    /** @param findings and remarks copied */
    public Explanation {
        findings = List.copyOf(findings);
        remarks = List.copyOf(remarks);
    }

    /**
     * Plays the run of a question and explains it. What ran out of memory is explained twice: where it failed, and what
     * it would have done with room to spare.
     *
     * @throws dev.headroom.model.error.UserInputException for impossible input, with a message for the user
     */
    public static Explanation of(PredictionRequest request) {
        VariantPlayer player = new VariantPlayer(request);
        if (!Ranks.areAsked(request)) {
            // On another processor, if there is one, while the run itself is played.
            ForkJoinTask<?> unused =
                    ForkJoinPool.commonPool().submit(() -> ChangeFindings.play(player, request.scenario()));
        }
        return of(PlayedRun.of(request), player);
    }

    /** As {@link #of(PredictionRequest)}, of a run that was played already. */
    public static Explanation of(PlayedRun run) {
        return of(run, new VariantPlayer(run.request()));
    }

    private static Explanation of(PlayedRun run, VariantPlayer player) {
        boolean failed = run.prediction().oom() != null;
        ExplainedRun explained =
                new ExplainedRun(failed ? PlayedRun.of(run.request().unbounded()) : run);
        if (explained.peak().allocated() == 0) {
            String nothing = "It makes no tensor on the device: it takes no memory of the allocator.";
            return new Explanation(
                    run,
                    List.of(new Finding("peak", "What makes the peak?", List.of(nothing), List.of())),
                    remarks(run.prediction()));
        }
        List<Finding> findings = new ArrayList<>();
        if (failed) {
            findings.add(ShortageFinding.of(run, explained));
        }
        findings.add(PeakFinding.of(explained, failed));
        findings.add(AliveFinding.of(explained));
        StrategyFinding.of(run, explained).ifPresent(findings::add);
        CompiledFinding.of(run, explained).ifPresent(findings::add);
        findings.addAll(ChangeFindings.of(explained, player));
        findings.addAll(PhaseFindings.of(explained));
        findings.addAll(StepFindings.of(explained));
        findings.addAll(DeviceFindings.of(explained, player));
        return new Explanation(run, findings, remarks(run.prediction()));
    }

    private static List<String> remarks(Prediction p) {
        List<String> remarks = new ArrayList<>();
        p.unmodelled().forEach(u -> remarks.add("unmodelled, estimated roughly: " + u.operator() + " x" + u.count()));
        remarks.addAll(p.warnings());
        return remarks;
    }

    /** The same with more remarks in front. */
    public Explanation withRemarks(List<String> more) {
        List<String> all = new ArrayList<>(more);
        all.addAll(remarks);
        return new Explanation(run, findings, all);
    }
}
