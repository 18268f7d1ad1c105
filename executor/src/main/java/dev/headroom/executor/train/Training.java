package dev.headroom.executor.train;

import dev.headroom.executor.autograd.BackwardPass;
import dev.headroom.executor.op.basic.GradientSums;
import dev.headroom.executor.op.loss.LossOperators;
import dev.headroom.executor.optim.Optimizer;
import dev.headroom.executor.optim.Optimizers;
import dev.headroom.executor.program.Conversions;
import dev.headroom.executor.program.Initialisation;
import dev.headroom.executor.program.ModelMemory;
import dev.headroom.executor.program.Program;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Owner;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.SymbolBinding;
import dev.headroom.model.rewrite.AssignedNumbers;
import dev.headroom.model.rewrite.SkippedMasks;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleConsumer;

/**
 * The training loop, phase by phase: zero_grad, forward, loss, backward, optimizer step. Outputs and loss live until the
 * next iteration gives their names other values, as in the loop that a recording ran.
 */
public final class Training implements AutoCloseable {
    /** Told at the end of each phase. */
    @FunctionalInterface
    public interface Listener {
        void ended(PhaseMemory phase);
    }

    private final Eager eager;
    private final CheckpointPlan plan;
    private final Graph graph;
    private final Scenario run;
    private final Map<String, Long> symbols;
    private final Listener listener;
    private final BackwardPass backwardPass;

    private ModelMemory model;
    private Program program;
    private Optimizer optimizer;
    private GradScaler scaler;
    private Map<String, Tensor> inputs = Map.of();
    private Target target;
    private Tensor labels;
    private Tensor[] outputs = {};
    private Tensor loss;
    private DoubleConsumer lossListener;
    private String phase = "model";
    private Integer step;
    private Integer micro;

    /**
     * @param exported as imported
     * @throws UserInputException when sizes are open or impossible, or the executor lacks an operator
     */
    public Training(Eager eager, Graph exported, Scenario run, Listener listener) {
        if (!TorchVersion.of(run.torch).equals(TorchVersion.NEWEST)) {
            throw new UserInputException("--torch: the executor behaves as PyTorch " + TorchVersion.NEWEST
                    + "; only predictions know other versions");
        }
        if (run.newBatches || run.zeroGradBeforeBackward || run.convertsOnDevice) {
            throw new UserInputException(
                    "the executor converts models before it moves them, trains on one batch and drops"
                            + " gradients before each step; only predictions know other loops");
        }
        this.eager = eager;
        this.symbols = SymbolBinding.bind(exported, run.batch, run.dims);
        Graph restored = Program.inlined(AssignedNumbers.restore(SkippedMasks.restore(exported, symbols)));
        this.plan = CheckpointPlan.of(Conversions.inPrecision(restored, run), run);
        this.graph = plan.graph();
        this.run = run;
        this.listener = listener;
        this.backwardPass = new BackwardPass(eager.tape(), new GradientSums(eager));
    }

    /** The phase that runs. */
    public String phase() {
        return phase;
    }

    /** The step that runs, or {@code null} before the first. */
    public Integer step() {
        return step;
    }

    /** The model, once it is made. */
    public ModelMemory model() {
        return model;
    }

    /** The value of the last loss. */
    public double loss() {
        return eager.backend().read(loss)[0];
    }

    /** Has someone told the value of every loss when it is computed. */
    public void onLoss(DoubleConsumer listener) {
        lossListener = listener;
    }

    /** Brings the model, the optimizer and a batch to the device. */
    public void prepare(Batch batch) {
        program = new Program(eager, plan, symbols, backwardPass);
        model = new ModelMemory(eager, graph, run);
        Initialisation.apply(eager, model.all());
        eager.own(new Owner("", "optimizer"));
        optimizer = run.inference ? null : Optimizers.of(eager, run, model.trained());
        scaler = run.amp == DType.FLOAT16 && !run.inference ? new GradScaler(eager) : null;
        end("model");
        phase = "inputs";
        var shape = OutputShape.of(graph, run, symbols, eager.settings());
        target = Target.of(run.loss, ModelMemory.underRun(shape.type(), run), shape.sizes());
        inputs = Inputs.make(eager, graph, run, symbols, batch);
        if (target.type() != null) {
            labels = Inputs.held(eager, target.type(), target.sizes(), Layout.contiguous(target.sizes()));
            if (target.classes() > 0) {
                batch.fillLabels(labels, target.classes());
            } else {
                batch.fill("target", labels);
            }
        }
        end("inputs");
    }

    /** Runs all steps. */
    public void run() {
        for (int s = 0; s < run.steps; s++) {
            step(s);
        }
    }

    /** Runs one step. */
    public void step(int number) {
        step = number;
        if (run.inference) {
            infer();
            return;
        }
        phase = "zero_grad";
        model.parameters().values().forEach(this::clearGradient);
        end("zero_grad");
        for (int k = 0; k < run.accumulate; k++) {
            micro = run.accumulate > 1 ? k : null;
            underAutocast(() -> {
                forward();
                end("forward");
                computeLoss();
            });
            end("loss");
            if (lossListener != null) {
                lossListener.accept(loss());
            }
            backward();
        }
        micro = null;
        phase = "optimizer";
        eager.own(new Owner("", "optimizer"));
        if (optimizer != null && scaler != null) {
            scaler.step(optimizer);
            scaler.update();
        } else if (optimizer != null) {
            optimizer.step();
        }
        end("optimizer");
    }

    private void infer() {
        boolean before = eager.tape().setEnabled(false);
        try {
            underAutocast(this::forward);
        } finally {
            eager.tape().setEnabled(before);
        }
        end("forward");
    }

    private void clearGradient(Tensor parameter) {
        if (!run.zeroGradKeep) {
            eager.setGrad(parameter, null);
        } else if (parameter.grad() != null) {
            eager.backend().elementwise().fill(parameter.grad(), 0);
        }
    }

    /** Kept casts of weights die with the region: before the phase ends that it ends in. */
    private void underAutocast(Runnable body) {
        if (run.amp == null) {
            body.run();
            return;
        }
        eager.autocast().enter(run.amp);
        try {
            body.run();
        } finally {
            eager.autocast().exit();
        }
    }

    /** Lets go of everything, whatever state the run ended in. */
    @Override
    public void close() {
        dropOutputs();
        eager.release(loss);
        loss = null;
        eager.release(labels);
        labels = null;
        inputs.values().forEach(eager::release);
        inputs = Map.of();
        if (optimizer != null) {
            optimizer.close();
            optimizer = null;
        }
        if (scaler != null) {
            scaler.close();
        }
        if (model != null) {
            model.close();
        }
    }

    private void forward() {
        phase = "forward";
        Map<String, Tensor> given = new HashMap<>(model.byValue());
        given.putAll(inputs);
        Tensor[] made = program.run(given);
        dropOutputs();
        outputs = made;
    }

    private void computeLoss() {
        phase = "loss";
        eager.own(new Owner("", "loss"));
        try (Scope s = eager.open()) {
            rebindLoss(eager.call(() -> target.loss(eager, firstOutput(), labels)));
            if (run.accumulate > 1) {
                rebindLoss(LossOperators.divided(eager, loss, run.accumulate));
            }
        }
    }

    /** PyTorch's loops train on the first output that is a tensor. */
    private Tensor firstOutput() {
        return Arrays.stream(outputs).filter(Objects::nonNull).findFirst().orElseThrow();
    }

    private void rebindLoss(Tensor made) {
        eager.hold(made);
        eager.drop(made);
        eager.release(loss);
        loss = made;
    }

    private void backward() {
        phase = "backward";
        eager.own(new Owner("", "backward"));
        try (Scope s = eager.open()) {
            Tensor root = scaler == null ? loss : scaler.scale(loss);
            Tensor one = eager.emptyLike(root);
            eager.backend().elementwise().fill(one, 1);
            backwardPass.run(root, one);
        }
        if (run.dropOutputs) {
            dropOutputs();
            eager.release(loss);
            loss = null;
        }
        end("backward");
    }

    private void dropOutputs() {
        for (Tensor t : outputs) {
            eager.release(t);
        }
        outputs = new Tensor[0];
    }

    private void end(String name) {
        listener.ended(PhaseMemory.of(name, step, micro, eager.allocator()));
    }
}
