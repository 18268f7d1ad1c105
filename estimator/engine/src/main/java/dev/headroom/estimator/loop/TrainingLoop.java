package dev.headroom.estimator.loop;

import dev.headroom.estimator.op.EngineArithmetic;
import dev.headroom.estimator.op.Losses;
import dev.headroom.estimator.op.Squeeze;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.optim.Optimizers;
import dev.headroom.estimator.program.GraphRunner;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.program.ModelTypes;
import dev.headroom.estimator.program.Unmodelled;
import dev.headroom.estimator.runtime.Attribution;
import dev.headroom.estimator.runtime.AutocastMode;
import dev.headroom.estimator.runtime.AutogradEngine;
import dev.headroom.estimator.runtime.Category;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The modelled training loop: zero_grad, forward, loss, backward, optimizer step. The outputs and the loss live until the
 * next iteration rebinds their names.
 */
public final class TrainingLoop {
    /** Told at the end of each phase. */
    @FunctionalInterface
    public interface PhaseListener {
        void ended(Moment moment);
    }

    private final EagerRuntime runtime;
    private final Graph graph;
    private final Scenario run;
    private final Map<String, Long> symbols;
    private final PhaseListener listener;
    private final Unmodelled unmodelled;
    private final AutogradEngine engine;
    private final CheckpointPlan plan;
    private final ModelTypes types;
    private GraphRunner forward;

    private ModelTensors model;
    private OutputShape firstOutput;
    private Optimizer optimizer;
    private GradScaler scaler;
    private Map<String, Tensor> inputs;
    private List<Tensor> batch;
    private Tensor target;
    private Tensor[] outputs = new Tensor[0];
    private Tensor loss;
    private Moment moment = Moment.of(Phase.MODEL);

    /** @param prepared by {@link dev.headroom.estimator.program.Preparation} */
    public TrainingLoop(EagerRuntime runtime, PreparedRun prepared, Unmodelled unmodelled, PhaseListener listener) {
        this.runtime = runtime;
        this.graph = prepared.graph();
        this.run = prepared.scenario();
        this.symbols = prepared.symbols();
        this.plan = prepared.plan();
        this.types = ModelTypes.of(graph, run);
        this.unmodelled = unmodelled;
        this.listener = listener;
        this.engine = new AutogradEngine(runtime, new EngineArithmetic());
    }

    /** Where the loop has come to. */
    public Moment moment() {
        return moment;
    }

    /** Parameters in the order of {@code parameters()}, after the model was made. */
    public ModelTensors model() {
        return model;
    }

    /** {@code null} without one. */
    public Optimizer optimizer() {
        return optimizer;
    }

    /** How often each node of the plan's graph has run so far, recomputations included; empty before the first forward pass. */
    public int[] executions() {
        return forward == null ? new int[0] : forward.executions();
    }

    /** Storages of the results of a node of the plan's graph when it last ran, -1 for an absent one. */
    public int[] storages(int node) {
        return forward == null ? new int[0] : forward.storages(node);
    }

    /** Whether re-entrant checkpoints ran of which no input requires a gradient, so that parameters there get none. */
    public boolean losesGradients() {
        return forward != null && forward.checkpointsWithoutGradients() > 0;
    }

    /** What the user should know of how the run went, one line each. */
    public List<String> warnings() {
        int lost = forward == null ? 0 : forward.checkpointsWithoutGradients();
        return lost == 0
                ? List.of()
                : List.of("re-entrant checkpointing: in " + lost + " checkpoint" + (lost == 1 ? "" : "s")
                        + " none of the inputs requires a gradient, so that the parameters there get none and are not"
                        + " trained (PyTorch warns of it, too); take --reentrant false, or --input-grad");
    }

    /** Plays all steps. */
    public void play() {
        model = new ModelTensors(
                runtime,
                graph,
                run.precision().dtype(),
                run.kernels().channelsLast(),
                run.precision().convertsOnDevice());
        who(Phase.OPTIMIZER);
        optimizer = run.loop().inference() ? null : Optimizers.of(run, runtime, model.parameters());
        if (run.precision().amp() == DType.FLOAT16 && !run.loop().inference()) {
            scaler = new GradScaler(runtime, model.parameters(), run.optimizer().fused());
        }
        end();
        moment = Moment.of(Phase.INPUTS);
        makeInputs();
        end();
        forward = new GraphRunner(runtime, plan, engine, symbols, unmodelled, types);
        for (int s = 0; s < run.loop().steps(); s++) {
            if (run.loop().inference()) {
                moment = Moment.of(Phase.FORWARD, s);
                runtime.setGradMode(false);
                AutocastMode.State before = enterAutocast();
                forward();
                runtime.autocast().exit(before);
                end();
            } else {
                train(s);
            }
        }
    }

    private void train(int step) {
        moment = Moment.of(Phase.ZERO_GRAD, step);
        who(Phase.ZERO_GRAD);
        if (!run.loop().zeroGradBeforeBackward()) {
            zeroGrad();
        }
        end();
        if (run.loop().newBatches() && step > 0) {
            nextBatch();
        }
        for (int k = 0; k < run.loop().accumulate(); k++) {
            Integer micro = run.loop().accumulate() > 1 ? k : null;
            moment = new Moment(Phase.FORWARD, step, micro);
            AutocastMode.State before = enterAutocast();
            forward();
            end();
            moment = new Moment(Phase.LOSS, step, micro);
            computeLoss();
            runtime.autocast().exit(before);
            end();
            moment = new Moment(Phase.BACKWARD, step, micro);
            if (run.loop().zeroGradBeforeBackward() && k == 0) {
                zeroGrad();
            }
            backward();
            if (run.loop().dropOutputs()) {
                dropOutputs();
            }
            end();
        }
        moment = Moment.of(Phase.OPTIMIZER, step);
        who(Phase.OPTIMIZER);
        if (optimizer != null && scaler != null) {
            scaler.step(optimizer::step);
        } else if (optimizer != null) {
            optimizer.step();
        }
        end();
    }

    private void zeroGrad() {
        if (!run.loop().zeroGradKeep() && run.torch().zeroGradSetsToNone()) {
            model.dropGradients();
        }
    }

    /** The new batch is there before the names of the old one are bound to it. */
    private void nextBatch() {
        List<Tensor> old = batch;
        Tensor oldTarget = target;
        makeInputs();
        old.forEach(runtime::release);
        runtime.release(oldTarget);
    }

    private AutocastMode.State enterAutocast() {
        return runtime.autocast()
                .enter(
                        run.precision().amp() == null
                                ? runtime.autocast().state()
                                : new AutocastMode.State(true, run.precision().amp(), true));
    }

    /** What the loop itself does counts as done by an operator of the phase's name. */
    private void who(Phase phase) {
        runtime.attribute(runtime.number(new Attribution("", phase.label(), "")));
    }

    private void end() {
        listener.ended(moment);
    }

    private void makeInputs() {
        who(Phase.INPUTS);
        inputs = new HashMap<>(model.byValue());
        batch = new ArrayList<>();
        boolean gradient = run.loop().inputGrad();
        for (Graph.Input in : graph.inputs()) {
            if (in.kind() != Graph.InputKind.USER || !graph.values().containsKey(in.value())) {
                continue;
            }
            TensorMeta meta = graph.values().get(in.value());
            long[] sizes =
                    meta.sizes().stream().mapToLong(s -> s.evaluate(symbols)).toArray();
            DType type = GraphRunner.typeUnder(meta.dtype(), run.precision().dtype());
            Tensor t = held(type, sizes, inputStrides(sizes));
            if (gradient && type.isFloatingPoint()) {
                runtime.requireGrad(t, true);
                gradient = false;
            }
            inputs.put(in.value(), t);
            batch.add(t);
        }
        // A batch comes with its labels, whether a loss will read them or not.
        target = makeTarget();
    }

    /** {@code contiguous(memory_format=…)} leaves alone what is in both formats, as an image of one channel is. */
    private long[] inputStrides(long[] sizes) {
        long[] rows = Shapes.contiguous(sizes);
        boolean turned =
                run.kernels().channelsLast() && sizes.length == 4 && !Shapes.isChannelsLastContiguous(sizes, rows);
        return turned ? Shapes.channelsLast(sizes) : rows;
    }

    private Tensor held(DType type, long[] sizes, long[] strides) {
        Frame frame = runtime.frame();
        try {
            return runtime.hold(runtime.emptyStrided(type, sizes, strides, Category.INPUTS));
        } finally {
            frame.close();
        }
    }

    private OutputShape firstOutput() {
        if (firstOutput == null) {
            firstOutput = OutputShape.of(graph, symbols, runtime);
        }
        return firstOutput;
    }

    private LossKind lossKind() {
        if (run.loop().loss() != LossKind.AUTO) {
            return run.loop().loss();
        }
        return firstOutput().sizes().length == 0 ? LossKind.OUTPUT : LossKind.CROSS_ENTROPY;
    }

    /** What the loss compares with: class indices, or values like the output's; {@code null} when it needs nothing. */
    private Tensor makeTarget() {
        OutputShape out = firstOutput();
        long[] sizes = out.sizes();
        return switch (lossKind()) {
            case CROSS_ENTROPY -> {
                long[] logits = classified(sizes);
                if (logits.length < 1) {
                    throw new UserInputException(
                            "--loss cross-entropy needs class scores, but the model's first output is a scalar;"
                                    + " use --loss output");
                }
                long[] labels = new long[logits.length - 1];
                for (int i = 0; i < labels.length; i++) {
                    labels[i] = logits[i == 0 ? 0 : i + 1];
                }
                yield held(DType.INT64, labels, Shapes.contiguous(labels));
            }
            case MSE ->
                held(GraphRunner.typeUnder(out.type(), run.precision().dtype()), sizes, Shapes.contiguous(sizes));
            default -> null;
        };
    }

    /** Scores of one class make no loss: singleton dimensions between batch and classes are squeezed, as users do. */
    private static long[] classified(long[] sizes) {
        if (sizes.length > 2 && sizes[1] == 1) {
            return java.util.Arrays.stream(sizes).filter(s -> s != 1).toArray();
        }
        return sizes;
    }

    private void forward() {
        Tensor[] made = forward.run(inputs);
        for (Tensor t : outputs) {
            runtime.release(t);
        }
        outputs = made;
        for (Tensor t : outputs) {
            if (t != null && t.storage().category() != Category.PARAMETERS) {
                runtime.setCategory(t, Category.OUTPUTS);
            }
        }
    }

    private void computeLoss() {
        who(Phase.LOSS);
        Frame frame = runtime.frame();
        try {
            Tensor out = outputs[0];
            Tensor made =
                    switch (lossKind()) {
                        case CROSS_ENTROPY ->
                            Losses.crossEntropy(
                                    runtime,
                                    out.dim() > 2 && out.size(1) == 1 ? Squeeze.all(runtime, out) : out,
                                    target,
                                    null,
                                    Losses.Reduction.MEAN);
                        case MSE -> Losses.mse(runtime, out, target, Losses.Reduction.MEAN);
                        case SUM -> Losses.sum(runtime, out);
                        default -> scalar(out);
                    };
            rebindLoss(made);
            if (run.loop().accumulate() > 1) {
                rebindLoss(Losses.divide(runtime, made)); // loss = loss / k
            }
        } finally {
            frame.close();
        }
    }

    private void rebindLoss(Tensor made) {
        runtime.hold(made);
        runtime.setCategory(made, Category.OUTPUTS);
        runtime.free(made);
        runtime.release(loss);
        loss = made;
    }

    private static Tensor scalar(Tensor out) {
        if (out.numel() != 1) {
            throw new UserInputException("--loss output needs a model whose first output is a scalar, but it has "
                    + out.numel() + " elements; name another --loss");
        }
        return out;
    }

    private void backward() {
        who(Phase.BACKWARD);
        Frame frame = runtime.frame();
        try {
            Tensor root = scaler == null ? loss : Losses.scale(runtime, loss, scaler.scale());
            Tensor one = runtime.emptyLike(root);
            engine.backward(root, one);
        } finally {
            frame.close();
        }
    }

    private void dropOutputs() {
        for (Tensor t : outputs) {
            runtime.release(t);
        }
        outputs = new Tensor[0];
        runtime.release(loss);
        loss = null;
    }
}
