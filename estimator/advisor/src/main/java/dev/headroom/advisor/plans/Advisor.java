package dev.headroom.advisor.plans;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;

import dev.headroom.advisor.change.Catalogue;
import dev.headroom.advisor.checkpoints.CheckpointChoice;
import dev.headroom.advisor.checkpoints.CheckpointPlanner;
import dev.headroom.advisor.variants.Processors;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.model.checkpoint.ProgramCheckpoints;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.SymbolBinding;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** The library's entry to advice: what to change so that a run fits its device. */
public final class Advisor {
    private final PredictionRequest request;
    private final Goal goal;
    private final VariantPlayer player;
    private final Catalogue catalogue;
    private final boolean rereads;

    private Advisor(
            PredictionRequest request,
            Goal goal,
            @Nullable Function<Scenario, Graph> reader,
            Processors processors,
            LongConsumer progress) {
        this.request = request;
        this.goal = goal;
        this.rereads = reader != null;
        this.player = new VariantPlayer(request, reader == null ? of -> request.graph() : reader, processors, progress);
        this.catalogue = new Catalogue(request.graph());
    }

    /**
     * Looks for plans and verifies each by simulating it within the device's memory. A run without a batch begins with
     * one sample when the goal is the largest batch.
     *
     * @throws UserInputException for impossible input, and when neither a device nor a limit was named
     */
    public static Advice advise(PredictionRequest request, Goal goal) {
        return advise(request, goal, null, played -> {});
    }

    /**
     * As {@link #advise(PredictionRequest, Goal)}.
     *
     * @param reader of the model as a run has it: with one, the longest sequence is found, too, where a model from a
     *     {@code config.json} has any
     * @param progress told after every run how many were played, from any thread
     */
    public static Advice advise(
            PredictionRequest request, Goal goal, @Nullable Function<Scenario, Graph> reader, LongConsumer progress) {
        if (Predictor.room(request) == null) {
            throw new UserInputException("advice needs to know the memory there is: add `gpu=NAME` or `memory=SIZE`");
        }
        Scenario run = request.scenario();
        if (run.sizes().batch() == null && goal == Goal.MAX_BATCH && SymbolBinding.hasBatch(request.graph())) {
            run = run.with(BATCH, 1L);
        }
        PredictionRequest asked = request.with(run);
        return Processors.all(processors -> new Advisor(asked, goal, reader, processors, progress).advice());
    }

    private Advice advice() {
        Scenario run = request.scenario();
        if (open()) {
            Future<?> unused = player.processors().aside(() -> LargestSizeSearch.prepare(player, run));
        }
        Prediction asked = player.predict(run);
        // Plans for a run that fails need no largest size: both are looked for at once.
        Future<Optional<Largest>> batch = player.processors().aside(() -> largestBatch(run));
        Future<List<Largest>> largest = player.processors().later(() -> largest(run, Processors.join(batch)));
        if (asked.oom() == null || goal == Goal.MAX_BATCH) {
            List<Plan> plans =
                    Processors.join(batch).map(b -> fitting(growth(b))).orElse(List.of());
            return new Advice(
                    goal,
                    asked,
                    Processors.join(largest),
                    plans,
                    null,
                    new Notes(player, request.scenario()).fitting(asked));
        }
        AvailableChanges tools = toolbox(run);
        PlanSearch search = new PlanSearch(run, player, tools);
        List<Plan> plans = fitting(plans(search));
        Shortfall shortfall = plans.isEmpty() ? shortfall(search.notEnough()) : null;
        List<String> notes = new Notes(player, request.scenario()).failing(tools, plans);
        return new Advice(goal, asked, Processors.join(largest), plans, shortfall, notes);
    }

    /** What a search finds, played to the end while it goes on. */
    private List<Plan> plans(PlanSearch search) {
        Map<Variant, Future<Plan>> begun = new HashMap<>();
        List<Variant> found = search.find(variant -> {
            // The deeper the changes, the longer the run mostly: so all processors are done at about once.
            begun.put(variant, player.processors().later(begun.size(), () -> variant.plan(player)));
        });
        return found.stream()
                .map(variant -> Processors.join(Objects.requireNonNull(begun.get(variant))))
                .toList();
    }

    private AvailableChanges toolbox(Scenario run) {
        return new AvailableChanges(catalogue, player, run, recomputable(run));
    }

    /**
     * What a run without checkpoints of its own may recompute. The free changes that help are made first: as long as
     * the optimizer's step has the peak, no recomputation shows what it is worth.
     */
    private List<CheckpointChoice> recomputable(Scenario run) {
        if (run.loop().inference() || hasCheckpoints(run) || !catalogue.decidesSteps()) {
            return List.of();
        }
        Variant variant = Variant.of(run);
        Variant freed = variant.with(new BestFreeChanges(catalogue, player).of(List.of(variant)));
        return CheckpointPlanner.choices(player, freed.run());
    }

    private boolean hasCheckpoints(Scenario run) {
        return run.checkpointing().any() || ProgramCheckpoints.in(request.graph());
    }

    private boolean open() {
        return request.scenario().sizes().batch() != null && SymbolBinding.hasBatch(request.graph());
    }

    private Optional<Largest> largestBatch(Scenario run) {
        return open() ? Optional.of(LargestSizeSearch.batch(player, run)) : Optional.empty();
    }

    private List<Largest> largest(Scenario run, Optional<Largest> batch) {
        List<Largest> largest = new ArrayList<>();
        batch.map(found -> LargestSizeSearch.safe(player, run, found)).ifPresent(largest::add);
        run.sizes().dims().keySet().forEach(dim -> largest.add(LargestSizeSearch.dim(player, run, dim)));
        if (rereads && run.model().seq() != null && !run.generation().any()) {
            largest.add(LargestSizeSearch.sequence(player, run));
        }
        return largest;
    }

    /** What is worth recomputing shows when memory is full: at the largest batch of the run as it stands. */
    private List<Plan> growth(Largest batch) {
        Scenario run = request.scenario();
        Scenario full = batch.value() == null ? run : run.with(BATCH, batch.value());
        long least = batch.value() == null ? 0 : batch.value();
        return new LargerBatchSearch(full, player, toolbox(full)).beyond(least, goal == Goal.MAX_BATCH);
    }

    /** A plan that would not fit is none. */
    private static List<Plan> fitting(List<Plan> plans) {
        return plans.stream().filter(plan -> plan.prediction().oom() == null).toList();
    }

    private @Nullable Shortfall shortfall(List<Variant> variants) {
        return player.processors().map(variants, variant -> shortfall(variant, player.predict(variant.run()))).stream()
                .filter(s -> s != null)
                .min(Comparator.comparingLong(Shortfall::minimumMemory))
                .orElse(null);
    }

    private static @Nullable Shortfall shortfall(Variant variant, Prediction prediction) {
        Prediction.Verdict verdict = prediction.verdict();
        return verdict.minimumMemory() == null || verdict.headroom() == null
                ? null
                : new Shortfall(variant.ordered(), verdict.minimumMemory(), -verdict.headroom());
    }
}
