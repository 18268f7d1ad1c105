package dev.headroom.advisor.checkpoints;

import dev.headroom.advisor.variants.Outcome;
import dev.headroom.advisor.variants.Processors;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.estimator.flops.Flops;
import dev.headroom.estimator.flops.GraphFlops;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Checkpointing;
import dev.headroom.model.scenario.Scenario;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a run gives under candidates, played with room for anything. */
final class Rehearsal {
    private final VariantPlayer player;
    private final Scenario asked;
    private final PredictionRequest request;

    /** In the order in which they were played; of candidates that differ in name alone, the first. */
    private final Map<Checkpointing, Optional<CheckpointChoice>> played = new LinkedHashMap<>();

    private final Simulation storeAll;
    private final GraphFlops flops;
    private final Flops step;

    Rehearsal(VariantPlayer player, Scenario asked) {
        this.player = player;
        this.asked = asked;
        request = new PredictionRequest(player.graph(), Candidate.STORE_ALL.applied(asked)).unbounded();
        storeAll = player.unboundedWithEvents(request.scenario());
        if (storeAll.oom() != null) {
            throw new UserInputException("the run needs more memory than any device has, whatever is recomputed; check"
                    + " `batch` and `dims`");
        }
        Scenario run = request.scenario();
        flops = GraphFlops.of(
                storeAll.nodes().known(storeAll.prepared().plan().graph()),
                run,
                storeAll.prepared().symbols());
        step = flops.step();
        played.put(
                Candidate.STORE_ALL.checkpointing(),
                Optional.of(choice(Candidate.STORE_ALL, outcome(Candidate.STORE_ALL))));
    }

    /** What plays candidates. */
    Processors processors() {
        return player.processors();
    }

    /** The run as it was asked for, its own checkpoints included. */
    Scenario asked() {
        return asked;
    }

    /** Whether there is anything to recompute for, in a phase of its own: passes of LBFGS run inside of its step. */
    boolean hasBackward() {
        return storeAll.phases().stream().anyMatch(p -> p.phase() == Phase.BACKWARD);
    }

    /** Why nothing is tried of a run that has no backward pass. */
    String nothingTried() {
        return asked.loop().inference()
                ? "without a backward pass nothing is kept for it"
                : "the passes run inside of the optimizer's step, where checkpoints are not tried";
    }

    /** All choices so far. */
    List<CheckpointChoice> choices() {
        return played.values().stream().flatMap(Optional::stream).toList();
    }

    /** The run that recomputes nothing. */
    Simulation storeAll() {
        return storeAll;
    }

    /** The run that stores all, but lets go of what is saved as early as checkpoints do. */
    Simulation storeAllBriefly() {
        return Predictor.simulate(request, List.of(new PassThroughHooks()));
    }

    GraphFlops flops() {
        return flops;
    }

    /** What the candidate gives; empty where PyTorch would refuse it or leave parameters without gradients. */
    Optional<CheckpointChoice> play(Candidate candidate) {
        Checkpointing key = candidate.checkpointing();
        Optional<CheckpointChoice> known = played.get(key);
        if (known == null) {
            known = simulate(candidate).map(run -> choice(candidate, run));
            played.put(key, known);
        }
        return known;
    }

    /** Plays several on all processors, for the player to remember. */
    void simulate(List<Candidate> candidates) {
        player.processors().map(candidates, this::simulate);
    }

    /** The run under a candidate; empty where PyTorch would refuse it or leave parameters without gradients. */
    Optional<Outcome> simulate(Candidate candidate) {
        return Optional.of(outcome(candidate)).filter(run -> run.fits() && !run.losesGradients());
    }

    private Outcome outcome(Candidate candidate) {
        return player.unbounded(candidate.applied(request.scenario()));
    }

    /** FLOPs as a share of those of a step that recomputes nothing. */
    double share(long again) {
        return step.total() == 0 ? 0 : (double) again / step.total();
    }

    private CheckpointChoice choice(Candidate c, Outcome run) {
        Scenario training = request.scenario();
        int passes = training.loop().steps() * training.loop().accumulate();
        long again =
                flops.beyond(run.executions(), passes).total() / training.loop().steps();
        return new CheckpointChoice(
                c.name(), c.segments(), c.modules(), c.reentrant(), run.allocated(), again, share(again));
    }
}
