package dev.headroom.advisor.variants;

import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Requests;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.memo.Recent;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.quant.Load;
import dev.headroom.model.quant.pass.Loads;
import dev.headroom.model.scenario.Scenario;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Plays variants of a run, each once: on the device of the question, and with room for anything. Threads may share it.
 */
public final class VariantPlayer {
    /** Passes and steps after which memory goes round in a circle: nothing is first any more in the third. */
    private static final int SETTLED = 3;

    /** Runs of which is kept what they asked of the allocator. */
    private static final int ASKED = 16;

    /** Runs that got through of which all events are kept. */
    private static final int THROUGH = 8;

    private final PredictionRequest asked;
    private final Function<Scenario, Graph> reader;
    private final Processors processors;
    private final LongConsumer progress;
    private final Map<ModelOptions, Graph> graphs = new ConcurrentHashMap<>();
    private final AtomicLong played = new AtomicLong();
    private final Map<Scenario, Play> plays = new ConcurrentHashMap<>();

    /** What runs that got through asked of the allocator, by what decides it. */
    private final Recent<Scenario, Requests> requests = new Recent<>(ASKED);

    /** Runs on one GPU that got through on the device: one of them may be what is advised. */
    private final Recent<Scenario, Simulation> through = new Recent<>(THROUGH);

    /** One that plays in the threads of who asks, and tells nobody how far it is. */
    public VariantPlayer(PredictionRequest asked) {
        this(asked, Processors.HERE);
    }

    /** @param processors that play */
    public VariantPlayer(PredictionRequest asked, Processors processors) {
        this(asked, run -> asked.graph(), processors, played -> {});
    }

    /**
     * @param reader of the model: what a model from a {@code config.json} computes depends on the run
     * @param processors that play
     * @param progress told after every run how many were played, from any thread
     */
    public VariantPlayer(
            PredictionRequest asked, Function<Scenario, Graph> reader, Processors processors, LongConsumer progress) {
        this.asked = asked;
        this.reader = reader;
        this.processors = processors;
        this.progress = progress;
        graphs.put(asked.scenario().model(), asked.graph());
    }

    /** What searches play with. */
    public Processors processors() {
        return processors;
    }

    /** The graph of the question, which most variants run. */
    public Graph graph() {
        return asked.graph();
    }

    private PredictionRequest request(Scenario run) {
        return new PredictionRequest(graphs.computeIfAbsent(run.model(), options -> reader.apply(run)), run);
    }

    /** Bytes that the allocator can have on the device of the question. */
    public long room() {
        return Objects.requireNonNull(Predictor.room(asked), "a run without a device");
    }

    /** Within the device's memory, to the end. */
    public Outcome within(Scenario run) {
        Outcome known = known(PredictionRequest.unbounded(run));
        return known != null && isSameWithin(known, run) ? known : play(run).outcome();
    }

    private @Nullable Outcome known(Scenario run) {
        Play play = plays.get(run);
        return play == null ? null : play.outcome;
    }

    /**
     * Whether a run with room for anything goes the same way on the device: it does where the device never has to
     * refuse a segment, as long as nothing else asks how much memory there is. The allocator's own settings may, and so
     * does a model that is loaded onto devices by their size. By default segments are multiples of the driver's 2 MiB,
     * so that the device needs no more than what is reserved; those of old versions are not.
     */
    private boolean isSameWithin(Outcome free, Scenario run) {
        return free.fits() && isBlindToMemory(run) && free.reserved() <= room(run);
    }

    private boolean isBlindToMemory(Scenario run) {
        return run.allocConf().isBlank()
                && run.torch().allocatorSettings()
                && run.parallel().devices() == 1
                && Loads.how(asked.graph(), run) != Load.DEVICE_MAP;
    }

    private long room(Scenario run) {
        return Objects.requireNonNull(Predictor.room(asked.with(run)), "a run without a device");
    }

    /** Whether a run is one of a single process with the memory of the question. */
    private boolean isOnDevice(Scenario run) {
        return run.parallel().kind() == ParallelKind.SINGLE
                && Objects.equals(Predictor.room(asked.with(run)), Predictor.room(asked));
    }

    /** Whether the run gets through within the device's memory. */
    public boolean fits(Scenario run) {
        if (isTooLarge(run)) {
            return false;
        }
        Optional<Requests> known = plays.containsKey(run) ? Optional.empty() : requests(run);
        return known.flatMap(asks -> surely(asks, run))
                .orElseGet(() -> within(run).fits());
    }

    /** Whether PyTorch, or the model, refuses the run. */
    public boolean isImpossible(Scenario run) {
        return requests(run).isEmpty() && within(run).result() == Outcome.Result.IMPOSSIBLE;
    }

    /** Whether requests are granted on the device of a run that asks them; empty where it may go on without some. */
    private Optional<Boolean> surely(Requests asks, Scenario run) {
        try {
            Requests.Answer answer = processors.busy(() -> Predictor.ask(asks, asked.with(run)));
            return answer.sure() ? Optional.of(answer.granted()) : Optional.empty();
        } catch (UserInputException e) {
            return Optional.empty(); // playing it tells the same
        }
    }

    /**
     * What a run asks of the allocator, where it was played lately, on whatever device and with whatever settings of
     * the allocator.
     */
    public Optional<Requests> requests(Scenario run) {
        return Optional.ofNullable(requests.find(onAny(run)));
    }

    /** Whether requests are granted on the device of a run. */
    public boolean areGranted(Requests asks, Scenario run) {
        return processors.busy(() -> Predictor.ask(asks, asked.with(run)).granted());
    }

    private static Scenario onAny(Scenario run) {
        return PredictionRequest.unbounded(run).withAllocConf("");
    }

    /** Whether the run is known to have more alive at once than the device has. */
    private boolean isTooLarge(Scenario run) {
        Outcome known = known(PredictionRequest.unbounded(run));
        return known != null && known.fits() && isBlindToMemory(run) && known.allocated() > room(run);
    }

    /** Within the device's memory, cut to the passes and steps in which memory settles: quick, and nearly as sure. */
    public boolean mayFit(Scenario run) {
        return fits(few(run));
    }

    /** Bytes that are alive at most in the run that {@link #mayFit} is about, as far as it gets. */
    public long settledPeak(Scenario run) {
        Outcome free = known(PredictionRequest.unbounded(few(run)));
        return (free == null ? within(few(run)) : free).allocated();
    }

    private static Scenario few(Scenario run) {
        return run.with(ACCUMULATE, Math.min(run.loop().accumulate(), SETTLED))
                .with(STEPS, Math.min(run.loop().steps(), SETTLED));
    }

    /** With room for anything, on the same card. */
    public Outcome unbounded(Scenario run) {
        return play(PredictionRequest.unbounded(run)).outcome();
    }

    /**
     * The same, with all events of the run, which are not kept here.
     *
     * @throws UserInputException when the run cannot be
     */
    public Simulation unboundedWithEvents(Scenario run) {
        return play(PredictionRequest.unbounded(run)).simulate();
    }

    /**
     * The whole prediction on the device.
     *
     * @throws UserInputException when the run cannot be
     */
    public Prediction predict(Scenario run) {
        Simulation known = through.find(run);
        if (known != null) {
            return processors.busy(() -> Predictor.read(request(run), known));
        }
        Prediction prediction = processors.busy(() -> Predictor.predict(request(run)));
        count();
        return prediction;
    }

    private Play play(Scenario run) {
        return plays.computeIfAbsent(run, Play::new);
    }

    private void count() {
        progress.accept(played.incrementAndGet());
    }

    /** A scenario that is played when somebody first asks; who asks meanwhile waits. */
    private final class Play {
        private final Scenario run;
        private volatile @Nullable Outcome outcome;

        Play(Scenario run) {
            this.run = run;
        }

        synchronized Outcome outcome() {
            if (outcome != null) {
                return outcome;
            }
            try {
                simulate();
                return Objects.requireNonNull(outcome);
            } catch (UserInputException e) {
                outcome = Outcome.IMPOSSIBLE;
                count();
                return outcome;
            }
        }

        synchronized Simulation simulate() {
            Simulation simulation = processors.busy(() -> Predictor.simulate(request(run)));
            outcome = Outcome.of(simulation);
            simulation.requests().ifPresent(asks -> requests.put(onAny(run), asks));
            if (outcome.fits() && isOnDevice(run)) {
                through.put(run, simulation);
            }
            count();
            return simulation;
        }
    }
}
