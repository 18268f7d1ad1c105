package dev.headroom.advisor.explain;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.timeline.PhaseSpan;
import dev.headroom.estimator.timeline.PlayedRun;
import dev.headroom.estimator.timeline.Timeline;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A run, and where to look in it. */
final class ExplainedRun {
    private static final int WORTH_TELLING = 100;

    private final PlayedRun played;
    private final AliveAt peak;

    ExplainedRun(PlayedRun played) {
        this.played = played;
        this.peak = moment(played.timeline().peak());
    }

    Timeline timeline() {
        return played.timeline();
    }

    Prediction prediction() {
        return played.prediction();
    }

    Scenario run() {
        return played.request().scenario();
    }

    /** Whether the loop is one of the user's own writing, with optimizers of its own. */
    boolean hasOwnLoop() {
        return played.request().graph().loop() != null;
    }

    /** What is alive after an event. */
    AliveAt moment(int event) {
        return new AliveAt(timeline(), event, recomputes());
    }

    /** Whether activations are checkpointed. */
    boolean recomputes() {
        return run().checkpointing().any();
    }

    /** The end of a phase. */
    AliveAt endOf(PhaseSpan span) {
        return moment(span.to() - 1);
    }

    /** Just before a phase. */
    AliveAt startOf(PhaseSpan span) {
        return moment(span.from() - 1);
    }

    /** When allocated memory is highest. */
    AliveAt peak() {
        return peak;
    }

    /** The step of the peak, or the last one. */
    int step() {
        Integer step = peak.phase().step();
        return step == null ? run().loop().steps() - 1 : step;
    }

    /** A phase of the pass in which the peak is; of accumulated passes the last one, where the peak is in none. */
    Optional<PhaseSpan> phase(Phase phase) {
        Integer micro = peak.phase().micro();
        return phase(phase, step(), micro);
    }

    /** @param micro {@code null}: the last pass */
    Optional<PhaseSpan> phase(Phase phase, int step, @Nullable Integer micro) {
        List<PhaseSpan> all = timeline().phases().stream()
                .filter(p -> p.phase() == phase && Objects.equals(p.step(), step))
                .filter(p -> micro == null || micro.equals(p.micro()))
                .toList();
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
    }

    /** The moment in a phase when allocated memory is highest; the start of one in which nothing happens. */
    AliveAt peakOf(PhaseSpan span) {
        int at = timeline().peak(span);
        return at < 0 ? startOf(span) : moment(at);
    }

    /** Where the step of the peak begins. */
    int stepBegins() {
        return timeline().phases().stream()
                .filter(p -> p.step() != null && p.step() == step())
                .findFirst()
                .map(PhaseSpan::from)
                .orElse(0);
    }

    /** Bytes of gradients at the peak that the step before has made. */
    long leftOverGradients() {
        return AliveAt.bornBefore(peak.holdings(Category.GRADIENTS), stepBegins());
    }

    /** Whether zero_grad fills gradients with zeros. */
    boolean keepsGradients() {
        return run().loop().zeroGradKeep() || zeroGradAlwaysKeeps();
    }

    /** Whether {@code zero_grad()} of the version that is modelled has no other way. */
    boolean zeroGradAlwaysKeeps() {
        return !run().torch().zeroGradSetsToNone();
    }

    /** Whether so many bytes are worth a sentence: a hundredth of the peak. */
    boolean matters(long bytes) {
        return Math.abs(bytes) * WORTH_TELLING >= peak.allocated();
    }
}
