package dev.headroom.advisor.plans;

import dev.headroom.advisor.change.Catalogue;
import dev.headroom.advisor.variants.Outcome;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.units.Mib;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What would not help, told from what the run's peak is made of and from variants. */
final class Notes {
    /** Recomputation that takes less than this share off the peak is no help. */
    private static final double HELPS = 0.05;

    private final VariantPlayer player;
    private final Scenario asked;

    Notes(VariantPlayer player, Scenario asked) {
        this.player = player;
        this.asked = asked;
    }

    /** Of a run that gets through. */
    List<String> fitting(Prediction prediction) {
        return reentrant(prediction).stream().toList();
    }

    /** Of a run that does not. */
    List<String> failing(AvailableChanges tools, List<Plan> plans) {
        boolean recomputes =
                plans.stream().flatMap(plan -> plan.changes().stream()).anyMatch(Catalogue::recomputes);
        if (recomputes && !asksForReentrant()) {
            return List.of();
        }
        Prediction unbounded = player.predict(PredictionRequest.unbounded(asked));
        List<String> lines = new ArrayList<>();
        if (!recomputes) {
            dominated(unbounded, tools).ifPresent(lines::add);
        }
        reentrant(unbounded).ifPresent(lines::add);
        return lines;
    }

    /** Weights and what goes with them outweigh all that recomputation could save. */
    private Optional<String> dominated(Prediction unbounded, AvailableChanges tools) {
        Map<Category, Long> peak = unbounded.atPeak();
        long fixed = peak.getOrDefault(Category.PARAMETERS, 0L)
                + peak.getOrDefault(Category.BUFFERS, 0L)
                + peak.getOrDefault(Category.GRADIENTS, 0L)
                + peak.getOrDefault(Category.OPTIMIZER_STATE, 0L);
        long allocated = unbounded.peak().allocated();
        long saved = peak.getOrDefault(Category.SAVED_ACTIVATIONS, 0L);
        String where = "the peak of " + Mib.text(allocated) + " (in "
                + unbounded.peak().moment().phase() + ") holds "
                + Mib.text(fixed) + " of weights, gradients and optimizer state and " + Mib.text(saved)
                + " of saved activations";
        if (asked.loop().inference() || asked.checkpointing().any()) {
            return Optional.empty();
        }
        Optional<Long> left = tools.checkpoints().strongest().map(c -> player.unbounded(c.of(asked))
                .allocated());
        if (left.isEmpty()) {
            return saved < HELPS * allocated && fixed > allocated / 2
                    ? Optional.of("checkpointing will not help: " + where)
                    : Optional.empty();
        }
        return allocated - left.get() < HELPS * allocated
                ? Optional.of("checkpointing will not help: " + where + "; recomputing leaves " + Mib.text(left.get()))
                : Optional.empty();
    }

    private boolean asksForReentrant() {
        return Boolean.TRUE.equals(asked.checkpointing().reentrant());
    }

    /** The variant that drops gradients of what comes before the first input that requires one. */
    private Optional<String> reentrant(Prediction unbounded) {
        boolean trap = asksForReentrant()
                && unbounded.warnings().stream().anyMatch(w -> w.startsWith("re-entrant checkpointing"));
        if (!trap) {
            return Optional.empty();
        }
        Scenario other = Catalogue.nonReentrant().of(asked);
        Outcome outcome = player.unbounded(other);
        return outcome.fits()
                ? Optional.of("re-entrant checkpoints of inputs without gradients train nothing in them: pass"
                        + " use_reentrant=False, which allocates " + Mib.text(outcome.allocated()) + " in place of "
                        + Mib.text(unbounded.peak().allocated()))
                : Optional.empty();
    }
}
