package dev.headroom.advisor.change;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.Checkpointing;
import dev.headroom.model.scenario.Scenario;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The changes that a run of a model leaves to be made. A new change is a row in one of the tables that are listed here;
 * what plans and explanations need of it stands in the row.
 */
public final class Catalogue {
    /** Of changes of the same kind that help as much, the first is proposed. */
    private static final List<CatalogueEntry> ENTRIES = Stream.of(
                    StepChanges.ENTRIES,
                    OptimizerKernelChanges.ENTRIES,
                    KernelChanges.ENTRIES,
                    AllocatorChanges.ENTRIES,
                    CheckpointChanges.ENTRIES,
                    CompileChanges.ENTRIES,
                    MicroBatches.ENTRIES,
                    PrecisionChanges.ENTRIES,
                    OptimizerChanges.ENTRIES,
                    FineTuningChanges.ENTRIES)
            .flatMap(List::stream)
            .toList();

    /** What a loop of the user's own leaves to options. */
    private static final List<CatalogueEntry> ENTRIES_OF_OWN_LOOPS = Stream.of(
                    KernelChanges.ENTRIES, AllocatorChanges.ENTRIES)
            .flatMap(List::stream)
            .toList();

    private final ModelFacts model;
    private final boolean ownLoop;

    public Catalogue(Graph graph) {
        this.model = new ModelFacts(graph);
        this.ownLoop = graph.loop() != null;
    }

    /** Whether options say what a step does; else it is a file that does, and passes are the user's to divide. */
    public boolean decidesSteps() {
        return !ownLoop;
    }

    private Stream<CatalogueEntry> entries() {
        return (ownLoop ? ENTRIES_OF_OWN_LOOPS : ENTRIES).stream();
    }

    /** What an explanation tries, in the order in which it names the changes. */
    public List<ExplainedChange> explained(Scenario run) {
        Situation situation = new Situation(model, run);
        return entries()
                .flatMap(entry -> entry.explain(situation).stream())
                .sorted(Comparator.comparing(ExplainedChange::target))
                .toList();
    }

    /** For plans: what leaves the arithmetic as it is, when tensors die, how the allocator works, which kernels run. */
    public List<Change> free(Scenario run) {
        return planned(run, change -> change.intrusion() == Intrusion.NONE);
    }

    /** For plans: fewer bits for operators, then for weights too. */
    public List<Change> precisions(Scenario run) {
        return planned(run, change -> change.kind().equals(PrecisionChanges.KIND));
    }

    /** For plans: less that compiled graphs keep, the most first. */
    public List<Change> budgets(Scenario run) {
        return planned(run, change -> change.kind().equals(CompileChanges.KIND));
    }

    /** For plans: optimizers with less state than the run's, the nearest to it first. */
    public List<Change> optimizers(Scenario run) {
        return planned(run, change -> change.kind().equals(OptimizerChanges.KIND));
    }

    /** For plans: other ways to fine-tune a language model, the mildest first. */
    public List<Change> tunings(Scenario run) {
        return planned(run, change -> change.intrusion() == Intrusion.TUNING);
    }

    /** The switch of transformers that makes a checkpoint of each layer, where it is off and a model has it. */
    public Optional<Change> librarySwitch(Scenario run) {
        Situation situation = new Situation(model, run);
        return situation.tunes() && model.of("transformers") && CheckpointChanges.isOpen(situation)
                ? Optional.of(CheckpointChanges.everyLayerOfLibrary(situation))
                : Optional.empty();
    }

    /** The batch in parts; how many there can be says {@link MicroBatches#parts}. */
    public Change microBatches(Scenario run, int parts) {
        return MicroBatches.of(new Situation(model, run), parts);
    }

    /** Checkpoints of modules and runs of siblings that are named one by one. */
    public Change checkpoints(Checkpointing choice, Cost cost) {
        return CheckpointChanges.of(model, choice, cost);
    }

    /** Whether a change places checkpoints. */
    public static boolean recomputes(Change change) {
        return change.kind().equals(CheckpointChanges.KIND);
    }

    /** The run's checkpoints, with gradients for all parameters in them. */
    public static Change nonReentrant() {
        return CheckpointChanges.NON_REENTRANT;
    }

    /** Segments of the allocator that grow, where the version has them and the run has set nothing alike. */
    public Optional<Change> expandableSegments(Scenario run) {
        return AllocatorChanges.EXPANDABLE_SEGMENTS.plan(new Situation(model, run));
    }

    private List<Change> planned(Scenario run, Predicate<Change> which) {
        Situation situation = new Situation(model, run);
        return entries()
                .flatMap(entry -> entry.plan(situation).stream())
                .filter(which)
                .toList();
    }
}
