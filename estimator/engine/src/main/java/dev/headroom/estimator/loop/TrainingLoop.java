package dev.headroom.estimator.loop;

import dev.headroom.estimator.generation.GenerationLoop;
import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.op.EngineArithmetic;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.optim.Optimizers;
import dev.headroom.estimator.program.ForwardPass;
import dev.headroom.estimator.program.GraphRunner;
import dev.headroom.estimator.program.ModelAssembly;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.program.ModelTypes;
import dev.headroom.estimator.program.NodeRuns;
import dev.headroom.estimator.program.Placement;
import dev.headroom.estimator.program.Unmodelled;
import dev.headroom.estimator.runtime.AutogradEngine;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The modelled training loop: zero_grad, forward, loss, backward, optimizer step; without training, forward passes
 * alone. What a scenario or a regime changes about it is done by {@link LoopHook}s.
 */
public final class TrainingLoop {
    private final EagerRuntime runtime;
    private final PreparedRun prepared;
    private final Scenario run;
    private final HookChain hooks;

    private final PhaseListener listener;
    private final Unmodelled unmodelled = new Unmodelled();
    private final AutogradEngine engine;
    private final Criterion criterion;
    private final Passes passes;
    private @Nullable ModelTensors model;
    private @Nullable Optimizer optimizer;
    private @Nullable Batch batch;
    private final Phases phases;
    private final PlainSteps plain;
    private final RepeatedSteps repeats;

    /**
     * @param prepared by {@link dev.headroom.estimator.program.Preparation}
     * @param regime called after the hooks that the scenario itself asks for
     */
    public TrainingLoop(EagerRuntime runtime, PreparedRun prepared, List<LoopHook> regime, PhaseListener listener) {
        this.runtime = runtime;
        this.prepared = prepared;
        this.run = prepared.scenario();
        this.hooks = new HookChain(ScenarioHooks.of(run), regime);
        this.listener = listener;
        this.engine = new AutogradEngine(runtime, new EngineArithmetic());
        this.criterion = new Criterion(runtime, prepared);
        this.passes = new Passes(this, hooks);
        this.phases = new Phases(hooks, listener, ended -> repeats().ended(ended));
        this.plain = new PlainSteps(this, hooks.any(LoopHook::leadsSteps));
        this.repeats = new RepeatedSteps(this, this::step, listener, phases::comeTo);
    }

    /** Plays all steps. */
    public void play() {
        hooks.each(h -> h.attach(this));
        boolean wraps = hooks.any(LoopHook::wraps);
        LibraryLoop library = hooks.library();
        phase(Moment.of(Phase.MODEL), () -> {
            makeModel();
            if (!wraps && library == null) {
                makeOptimizer();
            }
        });
        if (wraps) {
            phase(Moment.of(Phase.WRAP), this::makeOptimizer);
        }
        if (library == null) {
            phase(Moment.of(Phase.INPUTS), () -> {
                if (!hooks.any(LoopHook::feeds)) {
                    loadBatch();
                }
            });
        } else {
            library.begin(wraps ? () -> {} : this::makeOptimizer);
        }
        if (run.generation().any()) {
            new GenerationLoop(runtime, prepared, (g, symbols) -> runner(CheckpointPlan.none(g), g, symbols))
                    .play(batch().values(), phases::comeTo, this::mark);
            return;
        }
        passes.through(hooks.around((ForwardPass) new LateRunner(() -> runner(prepared)), LoopHook::forward));
        int count = run.loop().steps() * run.feeding().epochs();
        for (int s = 0; s < count; s++) {
            repeats.play(s, s + 1 < count);
        }
    }

    private void step(int number) {
        LibraryLoop library = hooks.library();
        if (run.loop().inference()) {
            phase(Moment.of(Phase.FORWARD, number), passes::infer);
        } else if (library != null) {
            library.step(number);
        } else if (evaluates()) {
            phase(Moment.of(Phase.OPTIMIZER, number), () -> passes.stepOf(Objects.requireNonNull(optimizer)));
        } else {
            plain.run(number);
        }
    }

    /**
     * Runs a phase with all that hooks add to it, and has memory read at its end.
     *
     * @param next what is the present {@link #moment} from then on
     * @param work of the phase itself
     */
    public void phase(Moment next, Runnable work) {
        phases.run(next, work);
    }

    /** Ends the phase that runs, whose work belongs to the next one from here on. */
    void goOn(Moment next) {
        phases.goOn(next);
    }

    /** Has memory read inside of a phase, as the end of another one; a hook's own phases may lie in each other. */
    public void mark(Moment inside) {
        listener.ended(inside);
    }

    private void makeModel() {
        Supplier<ModelTensors> whole = this::wholeModel;
        model = hooks.around(whole, (hook, own) -> () -> hook.model(own)).get();
        batch = makeBatch();
    }

    /** A batch that holds nothing yet. */
    Batch makeBatch() {
        return new Batch(runtime, prepared, criterion, model().byValue());
    }

    private ModelTensors wholeModel() {
        ModelAssembly moved = run.precision().convertsOnDevice()
                ? assembly().moveAndConvert()
                : assembly().move();
        return new ModelTensors(runtime, moved.add());
    }

    /** The model, of which nothing is on the device yet: for a hook that brings it there its own way. */
    public ModelAssembly assembly() {
        return ModelAssembly.of(runtime, prepared, hooks.around(Placement.FIRST, LoopHook::placement));
    }

    private void makeOptimizer() {
        workOf(Phase.OPTIMIZER);
        if (run.loop().inference()) {
            return;
        }
        Function<List<Tensor>, @Nullable Optimizer> make = parameters -> Optimizers.of(run, runtime, parameters);
        optimizer = hooks.around(make, (hook, own) -> parameters -> hook.optimizer(parameters, own))
                .apply(model().parameters());
    }

    /** Whether the optimizer's step evaluates the model. */
    boolean evaluates() {
        return optimizer != null && optimizer.evaluates();
    }

    /** Forward, loss and backward, and what is between them. */
    Passes passes() {
        return passes;
    }

    /** @param own clips */
    public void clip(Runnable own) {
        workOf(Phase.CLIP);
        hooks.wrappedFirstOutermost(own, LoopHook::clip);
    }

    /** What clipping gradients returned. */
    public void clipped(Tensor total) {
        hooks.each(h -> h.clipped(total));
    }

    /** {@code optimizer.step()}, as hooks have it; {@code null} for a run without optimizer. */
    public void step(@Nullable Optimizer which) {
        workOf(Phase.OPTIMIZER);
        if (which != null) {
            hooks.wrapped(which::step, (hook, own) -> hook.step(own, which));
        }
    }

    /**
     * {@code loss.backward()}, as hooks have it.
     *
     * @param retains {@code retain_graph=True}
     */
    public void backward(Tensor loss, boolean retains) {
        passes.backward(loss, retains);
    }

    /** {@code optimizer.zero_grad()}, as hooks have it. */
    public void zeroGrad() {
        hooks.wrapped(model()::dropGradients, LoopHook::zeroGrad);
    }

    /** The optimizer's parameter groups, for who steps each on its own. */
    public List<List<Tensor>> parameterGroups(List<Tensor> trained) {
        return hooks.parameterGroups(trained);
    }

    /** Brings the next batch to the device, and lets go of the one before. */
    public void loadBatch() {
        load(batch());
    }

    /** A batch that holds nothing yet, of other sizes than the run's. */
    public Batch makeBatch(PreparedRun sizes) {
        return new Batch(runtime, sizes, new Criterion(runtime, sizes), model().byValue());
    }

    /** The batch of the passes that follow, in its sizes; the one before is the caller's to drop. */
    public void use(Batch next) {
        if (!next.prepared().runsAs(batch().prepared())) {
            passes.through(hooks.around((ForwardPass) runner(next.prepared()), LoopHook::forward));
        }
        batch = next;
    }

    /** Brings a batch to the device. */
    public void load(Batch what) {
        workOf(Phase.INPUTS);
        UnaryOperator<Tensor> move = UnaryOperator.identity();
        what.load(hooks.around(move, (hook, own) -> made -> hook.target(own.apply(made))));
    }

    /** The hooks of the run. */
    public HookChain hooks() {
        return hooks;
    }

    /** What the names of the loop hold. */
    public LoopVariables variables() {
        return passes.variables();
    }

    /** What the loop itself does from here on counts as done by an operator of the phase's name. */
    public void workOf(Phase phase) {
        runtime.attribute(runtime.number(new Attribution("", phase.label(), "")));
    }

    /**
     * What runs a forward pass on its own.
     *
     * @param other this run, or a part of it
     */
    public GraphRunner runner(PreparedRun other) {
        return runner(other, other.plan());
    }

    /** What runs a part of a forward pass: the plan's graph, for the sizes of a run. */
    public GraphRunner runner(PreparedRun other, CheckpointPlan part) {
        return runner(part, other.graph(), other.symbols());
    }

    /** What runs a graph of known sizes that is no part of the model. */
    public GraphRunner runner(Graph own) {
        return new GraphRunner(runtime, CheckpointPlan.none(own), engine, Map.of(), unmodelled, ModelTypes.same(own));
    }

    GraphRunner runner(CheckpointPlan part, Graph whole, Map<String, Long> symbols) {
        GraphRunner runner = new GraphRunner(runtime, part, engine, symbols, unmodelled, ModelTypes.of(whole, run));
        hooks.each(h -> runner.around(h.nodes()));
        return runner.with(passes.variables().names());
    }

    /** How steps are played. */
    public RepeatedSteps repeats() {
        return repeats;
    }

    /** The batch that is on the device; {@code null} before there is a model. */
    public Batch batch() {
        return Objects.requireNonNull(batch, "a batch");
    }

    /** The run that is played. */
    public PreparedRun prepared() {
        return prepared;
    }

    /** What the run is played on. */
    public EagerRuntime runtime() {
        return runtime;
    }

    /** Runs the backward passes. */
    public AutogradEngine engine() {
        return engine;
    }

    /** Where the loop has come to. */
    public Moment moment() {
        return phases.moment();
    }

    /** What the model computes, after all passes that prepare it. */
    public Graph graph() {
        return prepared.graph();
    }

    /** Whether the model is on the device. */
    public boolean hasModel() {
        return model != null;
    }

    /** The model, once it was made; {@code null} before. */
    public ModelTensors model() {
        return Objects.requireNonNull(model, "a model on the device");
    }

    /** The optimizer, once the model was made; {@code null} for a run without one. */
    public @Nullable Optimizer optimizer() {
        return optimizer;
    }

    /** How the nodes of the plan's graph ran so far. */
    public NodeRuns nodeRuns() {
        return passes.nodeRuns();
    }

    /** Calls of operators that have no rule, by operator. */
    public Map<String, Integer> unmodelled() {
        return unmodelled.with(engine.recorded().unknown());
    }
}
