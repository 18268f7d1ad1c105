package dev.headroom.estimator.loop;

import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.op.EngineArithmetic;
import dev.headroom.estimator.op.loss.Losses;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.optim.Optimizers;
import dev.headroom.estimator.program.ForwardPass;
import dev.headroom.estimator.program.GraphRunner;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.program.ModelTypes;
import dev.headroom.estimator.program.NodeRuns;
import dev.headroom.estimator.program.Placement;
import dev.headroom.estimator.program.Unmodelled;
import dev.headroom.estimator.runtime.AutocastMode;
import dev.headroom.estimator.runtime.AutogradEngine;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The modelled training loop: zero_grad, forward, loss, backward, optimizer step; without training, forward passes
 * alone. What a scenario or a regime changes about it is done by {@link LoopHook}s.
 */
public final class TrainingLoop {
    private final EagerRuntime runtime;
    private final PreparedRun prepared;
    private final Scenario run;
    private final List<LoopHook> hooks;

    /** Whether a library's engine has the steps in hand. */
    private final boolean led;

    private final PhaseListener listener;
    private final Unmodelled unmodelled = new Unmodelled();
    private final AutogradEngine engine;
    private final Criterion criterion;
    private final LoopVariables variables;
    private ModelTensors model;
    private Optimizer optimizer;
    private Batch batch;
    private ForwardPass forward;
    private AutocastMode.State outside;
    private Moment moment = Moment.of(Phase.MODEL);

    /**
     * @param prepared by {@link dev.headroom.estimator.program.Preparation}
     * @param regime called after the hooks that the scenario itself asks for
     */
    public TrainingLoop(EagerRuntime runtime, PreparedRun prepared, List<LoopHook> regime, PhaseListener listener) {
        this.runtime = runtime;
        this.prepared = prepared;
        this.run = prepared.scenario();
        this.hooks = new ArrayList<>(ScenarioHooks.of(run));
        this.hooks.addAll(regime);
        this.led = hooks.stream().anyMatch(LoopHook::leadsSteps);
        this.listener = listener;
        this.engine = new AutogradEngine(runtime, new EngineArithmetic());
        this.criterion = new Criterion(runtime, prepared);
        this.variables = new LoopVariables(runtime);
    }

    /** Plays all steps. */
    public void play() {
        hooks.forEach(h -> h.attach(this));
        boolean wraps = hooks.stream().anyMatch(LoopHook::wraps);
        phase(Moment.of(Phase.MODEL), () -> {
            makeModel();
            if (!wraps) {
                makeOptimizer();
            }
        });
        if (wraps) {
            phase(Moment.of(Phase.WRAP), this::makeOptimizer);
        }
        phase(Moment.of(Phase.INPUTS), this::loadBatch);
        forward = runner(prepared);
        for (LoopHook hook : hooks) {
            forward = hook.forward(forward);
        }
        for (int s = 0; s < run.loop().steps(); s++) {
            if (run.loop().inference()) {
                phase(Moment.of(Phase.FORWARD, s), this::infer);
            } else {
                train(s);
            }
        }
    }

    /**
     * Runs a phase with all that hooks add to it, and has memory read at its end.
     *
     * @param next what is the present {@link #moment} from then on
     * @param work of the phase itself
     */
    public void phase(Moment next, Runnable work) {
        hooks.forEach(h -> h.between(next));
        moment = next;
        hooks.forEach(h -> h.begin(next));
        work.run();
        hooks.forEach(h -> h.end(next));
        listener.ended(next);
    }

    /** Has memory read inside of a phase, as the end of another one; a hook's own phases may lie in each other. */
    public void mark(Moment inside) {
        listener.ended(inside);
    }

    private void makeModel() {
        Supplier<ModelTensors> make = this::wholeModel;
        for (LoopHook hook : hooks) {
            Supplier<ModelTensors> inner = make;
            make = () -> hook.model(inner);
        }
        model = make.get();
        batch = new Batch(runtime, prepared, criterion, model.byValue());
    }

    private ModelTensors wholeModel() {
        Placement placement = Placement.FIRST;
        for (LoopHook hook : hooks) {
            placement = hook.placement(placement);
        }
        return new ModelTensors(
                runtime,
                prepared.graph(),
                run.precision().dtype(),
                run.kernels().channelsLast(),
                run.precision().convertsOnDevice(),
                run.parallel().build() != Parallelism.Build.CUDA,
                placement);
    }

    private void makeOptimizer() {
        workOf(Phase.OPTIMIZER);
        if (run.loop().inference()) {
            return;
        }
        Function<List<Tensor>, Optimizer> make = parameters -> Optimizers.of(run, runtime, parameters);
        for (LoopHook hook : hooks) {
            Function<List<Tensor>, Optimizer> inner = make;
            make = parameters -> hook.optimizer(parameters, inner);
        }
        optimizer = make.apply(model.parameters());
    }

    private void train(int step) {
        if (!led) {
            phase(Moment.of(Phase.ZERO_GRAD, step), () -> {
                workOf(Phase.ZERO_GRAD);
                zeroGrad();
            });
        }
        Runnable passes = () -> passes(step);
        for (LoopHook hook : hooks) {
            Runnable inner = passes;
            passes = () -> hook.passes(step, inner);
        }
        passes.run();
        if (run.loop().clipGradNorm() != null && !led) {
            phase(Moment.of(Phase.CLIP, step), () -> {
                workOf(Phase.CLIP);
                clip();
            });
        }
        phase(Moment.of(Phase.OPTIMIZER, step), () -> {
            workOf(Phase.OPTIMIZER);
            step();
        });
    }

    private void passes(int step) {
        for (int k = 0; k < run.loop().accumulate(); k++) {
            Integer micro = run.loop().accumulate() > 1 ? k : null;
            phase(new Moment(Phase.FORWARD, step, micro), () -> {
                outside = enterAutocast();
                forward();
            });
            phase(new Moment(Phase.LOSS, step, micro), () -> {
                computeLoss();
                runtime.autocast().exit(outside);
            });
            phase(new Moment(Phase.BACKWARD, step, micro), this::backward);
        }
    }

    private void infer() {
        runtime.setGradMode(false);
        AutocastMode.State before = enterAutocast();
        forward();
        runtime.autocast().exit(before);
    }

    private AutocastMode.State enterAutocast() {
        DType amp = run.precision().amp();
        return runtime.autocast()
                .enter(amp == null ? runtime.autocast().state() : new AutocastMode.State(true, amp, true));
    }

    private void forward() {
        Tensor[] made = forward.run(batch.values());
        for (LoopHook hook : hooks) {
            made = hook.outputs(made);
        }
        variables.bindOutputs(made);
    }

    private void computeLoss() {
        workOf(Phase.LOSS);
        Frame frame = runtime.frame();
        try {
            UnaryOperator<Tensor> loss = out -> criterion.loss(out, batch.target());
            for (LoopHook hook : hooks) {
                UnaryOperator<Tensor> inner = loss;
                loss = out -> hook.loss(out, inner);
            }
            Tensor made = loss.apply(variables.outputs()[0]);
            variables.bindLoss(made);
            if (run.loop().accumulate() > 1 && !led) {
                variables.bindLoss(Losses.divide(runtime, made)); // loss = loss / k
            }
        } finally {
            frame.close();
        }
    }

    private void backward() {
        workOf(Phase.BACKWARD);
        Frame frame = runtime.frame();
        try {
            Tensor root = variables.loss();
            for (LoopHook hook : hooks) {
                root = hook.root(root);
            }
            Tensor of = root;
            Runnable pass = () -> backward(of);
            for (LoopHook hook : hooks) {
                Runnable inner = pass;
                pass = () -> hook.backward(inner);
            }
            pass.run();
        } finally {
            frame.close();
        }
    }

    private void backward(Tensor root) {
        try (Frame frame = runtime.frame()) {
            engine.backward(root, runtime.emptyLike(root));
        }
    }

    private void clip() {
        Runnable clip = () -> new GradientClipping(runtime).clip(model.parameters());
        for (LoopHook hook : hooks) {
            Runnable inner = clip;
            clip = () -> hook.clip(inner);
        }
        clip.run();
    }

    private void step() {
        if (optimizer == null) {
            return;
        }
        Runnable step = optimizer::step;
        for (LoopHook hook : hooks) {
            Runnable inner = step;
            step = () -> hook.step(inner);
        }
        step.run();
    }

    /** {@code optimizer.zero_grad()}, as hooks have it. */
    public void zeroGrad() {
        Runnable zeroGrad = model::dropGradients;
        for (LoopHook hook : hooks) {
            Runnable inner = zeroGrad;
            zeroGrad = () -> hook.zeroGrad(inner);
        }
        zeroGrad.run();
    }

    /** A gradient scaler has looked for infinities; see {@link LoopHook#lookedForInfinities}. */
    void lookedForInfinities(Tensor foundInf) {
        hooks.forEach(h -> h.lookedForInfinities(foundInf));
    }

    /** Brings the next batch to the device, and lets go of the one before. */
    public void loadBatch() {
        workOf(Phase.INPUTS);
        UnaryOperator<Tensor> move = UnaryOperator.identity();
        for (LoopHook hook : hooks) {
            UnaryOperator<Tensor> inner = move;
            move = made -> hook.target(inner.apply(made));
        }
        batch.load(move);
    }

    /** {@code del outputs, loss}. */
    public void deleteOutputs() {
        variables.delete();
    }

    /** What the loop itself does from here on counts as done by an operator of the phase's name. */
    private void workOf(Phase phase) {
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
        GraphRunner runner =
                new GraphRunner(runtime, part, engine, other.symbols(), unmodelled, ModelTypes.of(other.graph(), run));
        hooks.forEach(h -> runner.around(h.nodes()));
        return runner;
    }

    /** The loss of an output, a local variable or the output itself. */
    public Tensor loss(Tensor output, Tensor target) {
        workOf(Phase.LOSS);
        return criterion.loss(output, target);
    }

    /** What the loss compares with; {@code null} for nothing. */
    public Tensor target() {
        return batch.target();
    }

    /** All that the model is given, by value name. */
    public Map<String, Tensor> inputs() {
        return batch.values();
    }

    /** {@code del} of what a rank has no use for. */
    public void dropFromBatch(boolean inputs, boolean target) {
        batch.drop(inputs, target);
    }

    /** The run that is played. */
    public PreparedRun prepared() {
        return prepared;
    }

    /** What the run is played on. */
    public EagerRuntime runtime() {
        return runtime;
    }

    /** Values of the graph's symbols. */
    public Map<String, Long> symbols() {
        return prepared.symbols();
    }

    /** Runs the backward passes. */
    public AutogradEngine engine() {
        return engine;
    }

    /** Where the loop has come to. */
    public Moment moment() {
        return moment;
    }

    /** What the model computes, after all passes that prepare it. */
    public Graph graph() {
        return prepared.graph();
    }

    /** The model, once it was made; {@code null} before. */
    public ModelTensors model() {
        return model;
    }

    /** The optimizer, once the model was made; {@code null} for a run without one. */
    public Optimizer optimizer() {
        return optimizer;
    }

    /** How the nodes of the plan's graph ran so far. */
    public NodeRuns nodeRuns() {
        return forward == null ? NodeRuns.NONE : forward.runs();
    }

    /** Calls of operators that have no rule, by operator. */
    public Map<String, Integer> unmodelled() {
        return unmodelled.counts();
    }
}
