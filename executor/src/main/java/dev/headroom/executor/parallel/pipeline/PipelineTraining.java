package dev.headroom.executor.parallel.pipeline;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.optim.Optimizer;
import dev.headroom.executor.optim.Optimizers;
import dev.headroom.executor.parallel.ProcessGroup;
import dev.headroom.executor.program.Initialisation;
import dev.headroom.executor.program.ModelMemory;
import dev.headroom.executor.program.Preparation;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Owner;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.executor.train.Batch;
import dev.headroom.executor.train.GradientClipping;
import dev.headroom.executor.train.Training;
import dev.headroom.executor.train.TrainingRun;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parts.Division;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/** The training loop of a rank with stages: a schedule takes the place of forward and backward passes. */
public final class PipelineTraining implements TrainingRun, StepLoop {
    private static final Formula DIVIDE =
            new Formula("pipeline_divide", "y0 = x0 / s0;", (x, s, y) -> y[0] = x[0] / s[0]);

    private final Eager eager;
    private final PreparedRun prepared;
    private final Scenario run;
    private final ProcessGroup group;
    private final Training.Listener listener;
    private final StageLayout layout;
    private final PreparedRun rows;
    private final int microbatches;
    private final Messages messages;
    private final List<Action> actions;
    private final List<Stage> stages = new ArrayList<>();
    private final List<Tensor> losses = new ArrayList<>();
    private List<Boundary> boundaries = List.of();
    private DividedBatch rowsOfBatch;
    private @Nullable Tensor merged;
    private @Nullable Optimizer optimizer;
    private DoubleConsumer lossListener = loss -> {};
    private Moment moment = Moment.of(Phase.MODEL);
    private boolean initialized;
    private int step;

    /**
     * A rank.
     *
     * @param imported as the importer gives it
     * @param prepared the same for all of the batch
     * @throws UserInputException for a batch that microbatches do not divide, and schedules that the executor lacks
     */
    public PipelineTraining(
            Eager eager, Graph imported, PreparedRun prepared, ProcessGroup group, Training.Listener listener) {
        this.eager = eager;
        this.prepared = prepared;
        this.run = prepared.scenario();
        this.group = group;
        this.listener = listener;
        this.layout = StageLayout.of(run.parallel());
        this.microbatches = run.parallel().pipeline().microbatches();
        this.rows = rows(imported);
        this.actions = layout.isSingle()
                ? List.of()
                : new Lowering(layout, microbatches)
                        .lowered(new LoopedOrders(layout, microbatches).all())
                        .get(group.rank());
        this.messages = new Messages(eager, group);
    }

    /** The run of one microbatch. */
    private PreparedRun rows(Graph imported) {
        long batch = prepared.graph().inputs().stream()
                .filter(in -> in.kind() == Graph.InputKind.USER)
                .map(in -> prepared.graph().values().get(in.value()))
                .filter(meta -> meta != null && !meta.sizes().isEmpty())
                .findFirst()
                .map(meta -> meta.sizes().get(0).evaluate(prepared.symbols()))
                .orElse(1L);
        if (batch % microbatches != 0) {
            throw new UserInputException("`batch=" + batch + "` has no " + microbatches
                    + " equal parts; choose another number of `microbatches`");
        }
        return Preparation.of(imported, run.with(ScenarioSettings.BATCH, batch / microbatches));
    }

    @Override
    public Moment moment() {
        return moment;
    }

    @Override
    public void onLoss(DoubleConsumer told) {
        lossListener = told;
    }

    /** The models of the rank's stages, in order. */
    public List<ModelMemory> models() {
        return stages.stream().map(Stage::model).toList();
    }

    @Override
    public void prepare(Batch batch) {
        Division division =
                Division.stages(rows, layout.stages(), run.parallel().pipeline().split());
        if (division.loss() != null) {
            throw new UserInputException(
                    "`parallel=pp`: the model computes its loss itself, which the executor does not"
                            + " divide from its last stage; predict it, or export it without labels");
        }
        boundaries = Boundary.of(division, rows, eager.settings());
        Initialisation values = Initialisation.of(eager, prepared.graph().held());
        for (int index : layout.of(group.rank())) {
            division.checkInput(index);
            ModelMemory model = new ModelMemory(eager, division.held(index), run);
            stages.add(new Stage(eager, rows, division.parts().get(index), model, index, layout));
            model.initialise(values);
            model.places().forEach(model::materialise);
        }
        requireParameters();
        end(Moment.of(Phase.MODEL));
        eager.own(new Owner("", Phase.OPTIMIZER.label()));
        optimizer = Optimizers.of(eager, run, trained());
        end(Moment.of(Phase.WRAP));
        moment = Moment.of(Phase.INPUTS);
        rowsOfBatch = new DividedBatch(eager, prepared, microbatches);
        rowsOfBatch.load(batch);
        rowsOfBatch.keep(
                stages.stream().anyMatch(Stage::isFirst), stages.stream().anyMatch(Stage::isLast));
        end(Moment.of(Phase.INPUTS));
    }

    /** Optimizers take no empty list, and without parameters before it the first stage has no backward pass. */
    private void requireParameters() {
        boolean nothing =
                run.optimizer().kind() != OptimizerKind.NONE && trained().isEmpty();
        boolean first = stages.stream()
                .anyMatch(s -> s.isFirst() && s.model().trained().stream().noneMatch(Tensor::requiresGrad));
        if (nothing || first) {
            throw new UserInputException("`parallel=pp`: rank " + group.rank()
                    + " has a stage without parameters that are trained; cut elsewhere with `split`");
        }
    }

    private List<Tensor> trained() {
        return stages.stream().flatMap(s -> s.model().trained().stream()).toList();
    }

    @Override
    public void run() {
        for (step = 0; step < run.loop().steps(); step++) {
            moment = Moment.of(Phase.ZERO_GRAD, step);
            trained().forEach(this::clearGradient);
            end(moment);
            moment = Moment.of(Phase.SCHEDULE, step);
            own();
            schedule();
            end(Moment.of(Phase.SCHEDULE, step));
            if (run.loop().clipGradNorm() != null) {
                moment = Moment.of(Phase.CLIP, step);
                own();
                GradientClipping.clip(eager, trained(), run.loop().clipGradNorm(), norms -> norms);
                end(moment);
            }
            moment = Moment.of(Phase.OPTIMIZER, step);
            own();
            if (optimizer != null) {
                optimizer.step();
            }
            end(moment);
        }
    }

    private void clearGradient(Tensor parameter) {
        if (!run.loop().zeroGradKeep()) {
            eager.setGrad(parameter, null);
        } else if (parameter.grad() != null) {
            Elementwise.fill(eager, parameter.grad(), 0);
        }
    }

    /** {@code schedule.step(…)}, whose result takes the place of the last step's. */
    private void schedule() {
        forgetLosses(); // the list of the step before
        stages.forEach(Stage::clear);
        if (!initialized) {
            initialized = true;
            vote();
            stages.forEach(s -> s.makeInputBuffers(s.isFirst() ? null : boundaries.get(s.index() - 1), microbatches));
            for (int k = stages.size() - 1; k >= 0; k--) {
                stages.get(k).makeGradientBuffers(boundaries.get(stages.get(k).index()), microbatches);
            }
        }
        play();
        for (Stage stage : stages) {
            if (stage.isLast()) {
                Tensor all = DividedBatch.merged(eager, stage.outputChunks());
                eager.release(merged);
                merged = all;
            }
        }
    }

    private void play() {
        if (!layout.isSingle()) {
            new SeveralStagesSchedule(eager, messages, this, stages).run(actions);
            return;
        }
        SingleStageSchedules schedules =
                new SingleStageSchedules(eager, messages, this, stages.get(0), microbatches, layout.stages());
        if (layout.schedule().equals(StageLayout.GPIPE)) {
            schedules.gpipe();
        } else {
            schedules.oneForwardOneBackward();
        }
    }

    @Override
    public void reduce(Stage stage) {
        for (Tensor p : stage.model().trained()) {
            if (p.grad() != null && microbatches > 1) {
                Elementwise.into(eager, DIVIDE, new double[] {microbatches}, p.grad(), p.grad());
            }
        }
    }

    /**
     * All stages say that they know the shapes of what they are given: numbers go down the pipeline and up again
     * (_warmup_forward_vote and _warmup_backward_result). What they say is known here.
     */
    private void vote() {
        try (Scope s = eager.open()) {
            eager.empty(DType.INT32, 1); // the own vote
            for (Stage stage : stages) {
                if (!stage.isFirst()) {
                    Tensor given = eager.empty(DType.INT32, 1);
                    eager.empty(DType.INT32, 1); // both
                    eager.free(given);
                }
            }
            Tensor result = null;
            for (int k = 0; k < stages.size(); k++) { // in the recordings the last stage's is a tensor of its own, too
                Tensor now = eager.empty(DType.INT32, 1);
                eager.free(result);
                result = now;
            }
        }
    }

    @Override
    public Tensor forward(Stage stage, int chunk) {
        messages.rest();
        moment = new Moment(Phase.FORWARD, step, chunk);
        own();
        Tensor out;
        try (Scope s = eager.open()) {
            out = stage.forward(chunk, stage.isFirst() ? rowsOfBatch.inputs(chunk) : Map.of());
        }
        listener.ended(PhaseMemory.read(moment, eager.allocator()));
        return out;
    }

    @Override
    public void loss(Stage stage, Tensor output, int chunk) {
        if (!stage.isLast()) {
            return;
        }
        moment = Moment.of(Phase.SCHEDULE, step);
        own();
        try (Scope s = eager.open()) {
            losses.add(eager.hold(rowsOfBatch.loss(output, chunk)));
        }
        lossListener.accept(eager.backend().read(losses.get(chunk))[0]);
    }

    @Override
    public void backward(Stage stage, int chunk) {
        messages.rest();
        moment = new Moment(Phase.BACKWARD, step, chunk);
        own();
        stage.backward(chunk, stage.isLast() ? losses.get(chunk) : null);
        listener.ended(PhaseMemory.read(moment, eager.allocator()));
    }

    private void forgetLosses() {
        losses.forEach(eager::release);
        losses.clear();
    }

    private void own() {
        eager.own(new Owner("", moment.phase().label()));
    }

    private void end(Moment ended) {
        moment = ended;
        listener.ended(PhaseMemory.read(ended, eager.allocator()));
        messages.rest();
    }

    @Override
    public void close() {
        messages.close();
        forgetLosses();
        eager.release(merged);
        merged = null;
        if (rowsOfBatch != null) {
            rowsOfBatch.keep(false, false);
        }
        if (optimizer != null) {
            optimizer.close();
            optimizer = null;
        }
        stages.forEach(Stage::close);
        stages.clear();
    }
}
