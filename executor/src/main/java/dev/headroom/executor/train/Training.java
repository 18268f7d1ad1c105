package dev.headroom.executor.train;

import dev.headroom.executor.autograd.BackwardPass;
import dev.headroom.executor.load.PretrainedModel;
import dev.headroom.executor.op.basic.GradientSums;
import dev.headroom.executor.op.basic.SparseRows;
import dev.headroom.executor.op.loss.LossOperators;
import dev.headroom.executor.optim.Optimizer;
import dev.headroom.executor.optim.Optimizers;
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
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Scenario;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The training loop, phase by phase: zero_grad, forward, loss, backward, optimizer step. Outputs and loss live until
 * the next iteration gives their names other values, as in the loop that a recording ran.
 */
public final class Training implements TrainingRun {
    /** Told at the end of each phase. */
    @FunctionalInterface
    public interface Listener {
        void ended(PhaseMemory phase);
    }

    private final Eager eager;
    private final CheckpointPlan plan;
    private final Graph graph;
    private final Scenario run;
    private final PreparedRun prepared;
    private final Map<String, Long> symbols;
    private final Listener listener;
    private final BackwardPass backwardPass;
    private final @Nullable Wrapper wrapper;

    private ModelMemory model;
    private Program program;
    private @Nullable Optimizer optimizer;
    private @Nullable GradScaler scaler;
    private Map<String, Tensor> inputs = Map.of();
    private Target target;
    private @Nullable Tensor labels;
    private final LoopNames names;
    private @Nullable DoubleConsumer lossListener;
    private Moment moment = Moment.of(Phase.MODEL);

    /** @param prepared by {@link dev.headroom.executor.program.Preparation} */
    public Training(Eager eager, PreparedRun prepared, Listener listener) {
        this(eager, prepared, listener, null);
    }

    /**
     * Trains a wrapped model.
     *
     * @param wrapper closed with the loop; {@code null} for none
     */
    public Training(Eager eager, PreparedRun prepared, Listener listener, @Nullable Wrapper wrapper) {
        if (prepared.scenario().trainer().loop().isTrainer()
                || prepared.scenario().trainer().liger()) {
            throw new UserInputException("the executor runs plain loops without Liger's kernels;"
                    + " leave out `loop` and `liger`, or predict");
        }
        this.eager = eager;
        this.prepared = prepared;
        this.symbols = prepared.symbols();
        this.plan = prepared.plan();
        this.graph = plan.graph();
        this.run = prepared.scenario();
        this.listener = listener;
        this.wrapper = wrapper;
        this.names = new LoopNames(eager);
        this.backwardPass = new BackwardPass(eager.tape(), new GradientSums(eager));
    }

    @Override
    public Moment moment() {
        return moment;
    }

    /** The model, once it is made. */
    public ModelMemory model() {
        return model;
    }

    /** The value of the last loss. */
    public double loss() {
        return eager.backend().read(names.loss())[0];
    }

    @Override
    public void onLoss(DoubleConsumer listener) {
        lossListener = listener;
    }

    @Override
    public void prepare(Batch batch) {
        program = new Program(eager, plan, symbols, backwardPass);
        program.whenModelReturns(this::modelReturned);
        program.whenBufferIsBound((buffer, value) -> model.bindBuffer(buffer, value));
        model = PretrainedModel.bring(eager, graph, run, this::early);
        model.initialise();
        if (wrapper != null) {
            end();
            moment = Moment.of(Phase.WRAP);
            own();
            wrapper.wrap(model, backwardPass);
            program.hook(wrapper.hooks(), wrapper.hooksAreAroundCheckpoints());
        }
        eager.own(new Owner("", Phase.OPTIMIZER.label()));
        optimizer = run.loop().inference() ? null : makeOptimizer();
        Consumer<Tensor> looked = wrapper == null ? found -> {} : wrapper::lookedForInfinities;
        boolean scales = run.precision().amp() == DType.FLOAT16 && !run.loop().inference();
        scaler = scales ? new GradScaler(eager, looked) : null;
        end();
        moment = Moment.of(Phase.INPUTS);
        var shape = OutputShape.of(graph, run, symbols, eager.settings());
        target = Target.of(prepared.loss(shape.sizes()), shape.type(), shape.sizes(), run);
        inputs = Inputs.make(eager, graph, run, symbols, batch);
        if (target.type() != null) {
            labels = Inputs.held(eager, target.type(), target.sizes(), Layout.contiguous(target.sizes()));
            if (target.classes() > 0) {
                batch.fillLabels(labels, target.classes());
            } else {
                batch.fill("target", labels);
            }
        }
        end();
    }

    /** A phase before the model's own. */
    private void early(Phase phase, Runnable work) {
        moment = Moment.of(phase);
        work.run();
        end();
        moment = Moment.of(Phase.MODEL);
    }

    private @Nullable Optimizer makeOptimizer() {
        Function<List<Tensor>, @Nullable Optimizer> make = parameters -> Optimizers.of(eager, run, parameters);
        return wrapper == null ? make.apply(model.trained()) : wrapper.optimizer(model.trained(), make);
    }

    @Override
    public void run() {
        for (int s = 0; s < run.loop().steps(); s++) {
            step(s);
        }
    }

    /** Runs one step. */
    public void step(int number) {
        if (run.loop().inference()) {
            moment = Moment.of(Phase.FORWARD, number);
            infer();
            return;
        }
        moment = Moment.of(Phase.ZERO_GRAD, number);
        model.parameters().values().forEach(this::clearGradient);
        end();
        for (int k = 0; k < run.loop().accumulate(); k++) {
            Integer micro = run.loop().accumulate() > 1 ? k : null;
            moment = new Moment(Phase.FORWARD, number, micro);
            boolean last = k == run.loop().accumulate() - 1;
            underAutocast(() -> {
                forward(last);
                goOnWithLoss();
                computeLoss();
            });
            end();
            if (lossListener != null) {
                lossListener.accept(loss());
            }
            moment = new Moment(Phase.BACKWARD, number, micro);
            backward();
        }
        if (run.loop().clipGradNorm() != null) {
            moment = Moment.of(Phase.CLIP, number);
            own();
            UnaryOperator<Tensor> ofAll = wrapper == null ? norms -> norms : wrapper::ofAllRanks;
            GradientClipping.clip(eager, model.trained(), run.loop().clipGradNorm(), ofAll);
            end();
        }
        moment = Moment.of(Phase.OPTIMIZER, number);
        own();
        if (optimizer != null && scaler != null) {
            scaler.step(optimizer);
            scaler.update();
        } else if (optimizer != null) {
            optimizer.step();
        }
        end();
    }

    private void infer() {
        boolean before = eager.tape().setEnabled(false);
        try {
            underAutocast(() -> forward(true));
        } finally {
            eager.tape().setEnabled(before);
        }
        end();
    }

    private void clearGradient(Tensor parameter) {
        if (!run.loop().zeroGradKeep()) {
            eager.setGrad(parameter, null);
        } else if (parameter.grad() != null && parameter.grad().rows() != null) {
            try (Scope s = eager.open()) {
                eager.setGrad(parameter, SparseRows.none(eager, parameter.grad()));
            }
        } else if (parameter.grad() != null) {
            eager.backend().elementwise().fill(parameter.grad(), 0);
        }
    }

    /** Kept casts of weights die with the region: before the phase ends that it ends in. */
    private void underAutocast(Runnable body) {
        if (run.precision().amp() == null) {
            body.run();
            return;
        }
        eager.autocast().enter(run.precision().amp());
        try {
            body.run();
        } finally {
            eager.autocast().exit();
        }
    }

    @Override
    public void close() {
        names.delete();
        if (program != null) {
            program.close();
        }
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
        if (wrapper != null) {
            wrapper.close();
        }
        if (model != null) {
            model.close();
        }
    }

    private void forward(boolean last) {
        if (wrapper != null) {
            own();
            wrapper.beforeForward(last);
        }
        Map<String, Tensor> given = new HashMap<>(model.byValue());
        given.putAll(inputs);
        Tensor[] made = program.run(given);
        if (wrapper != null) {
            own();
            made = wrapper.afterForward(made);
        }
        names.bindOutputs(made);
    }

    private void computeLoss() {
        own();
        try (Scope s = eager.open()) {
            names.bindLoss(eager.call(() -> target.loss(eager, names.firstOutput(), labels)));
            if (run.loop().accumulate() > 1) {
                names.bindLoss(
                        LossOperators.divided(eager, names.loss(), run.loop().accumulate()));
            }
        }
    }

    private void backward() {
        own();
        try (Scope s = eager.open()) {
            Tensor root = scaler == null ? names.loss() : scaler.scale(names.loss());
            Tensor one = eager.emptyLike(root);
            eager.backend().elementwise().fill(one, 1);
            backwardPass.run(root, one);
        }
        if (run.loop().dropOutputs()) {
            names.delete();
        }
        end();
    }

    private void modelReturned() {
        names.deleteOutputs();
        goOnWithLoss();
    }

    /** The model's program may have gone on with the loss itself. */
    private void goOnWithLoss() {
        if (moment.phase() == Phase.FORWARD && !run.loop().inference()) {
            end();
            moment = new Moment(Phase.LOSS, moment.step(), moment.micro());
        }
    }

    /** What the loop itself does counts for an operator of the phase's name. */
    private void own() {
        eager.own(new Owner("", moment.phase().label()));
    }

    private void end() {
        listener.ended(PhaseMemory.read(moment, eager.allocator()));
        if (wrapper != null) {
            wrapper.rest();
        }
    }
}
