package dev.headroom.estimator.parallel.pipeline;

import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.op.core.Joining;
import dev.headroom.estimator.parallel.group.CollectiveLog;
import dev.headroom.estimator.program.ModelAssembly;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.program.Placement;
import dev.headroom.estimator.program.Preparation;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.parts.Division;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.ScenarioSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** One rank of a pipeline: its stages take the place of the model, its schedule that of the passes. */
public final class Pipeline implements LoopHook {
    private final Graph imported;
    private final Parallelism parallel;
    private final CollectiveLog log;
    private final int rank;
    private final int microbatches;
    private final StagePlan plan;
    private final Regimes regimes;
    private TrainingLoop loop;
    private EagerRuntime runtime;
    private Peers peers;
    private List<Stage> stages = List.of();
    private Schedule schedule;

    /** The names {@code out} and {@code losses} of the loop. */
    private Tensor merged;

    private List<Tensor> losses = List.of();
    private boolean initialized;

    /**
     * A rank.
     *
     * @param imported as the importer gives it
     * @param rank among those of the pipeline
     * @param regimes that each stage is wrapped by, the innermost first
     */
    public Pipeline(Graph imported, Parallelism parallel, int rank, CollectiveLog log, Regimes regimes) {
        this.imported = imported;
        this.parallel = parallel;
        this.rank = rank;
        this.log = log;
        this.regimes = regimes;
        this.microbatches = parallel.pipeline().microbatches();
        this.plan = StagePlan.of(parallel.pipeline(), parallel.pipelineDegree());
    }

    /** What a stage is spread by further. */
    @FunctionalInterface
    public interface Regimes {
        /** Of a stage; none for a pipeline that stands alone. */
        List<StageRegime> of(Graph whole, StageModule module);
    }

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
        runtime = to.runtime();
        peers = new Peers(runtime, log, rank, plan.world(), parallel.events() == Parallelism.Events.DONE);
    }

    @Override
    public boolean wraps() {
        return true;
    }

    @Override
    public ModelTensors model(Supplier<ModelTensors> own) {
        PreparedRun rows = rows();
        Division division =
                Division.stages(rows, plan.stages(), parallel.pipeline().split());
        List<Stage> made = new ArrayList<>();
        for (int index : plan.of(rank)) {
            Graph graph = division.held(index);
            boolean elsewhere = parallel.build() == Parallelism.Build.META
                    && parallel.kind().isPipelineInGrid();
            ModelAssembly.Form form = new ModelAssembly.Form(
                    loop.prepared().scenario().precision().dtype(), false, elsewhere);
            ModelAssembly assembled = new ModelAssembly(runtime, graph, form, Placement.FIRST);
            ModelTensors model = new ModelTensors(runtime, assembled.move().add());
            StageModule module = new StageModule(
                    runtime, loop.engine(), graph, model, division.modules(index), rows.symbols(), made.size());
            made.add(new Stage(loop, rows, division, index, model, regimes.of(loop.graph(), module)));
        }
        stages = made;
        schedule = plan.schedule(runtime, peers, stages, rank, microbatches);
        return ModelTensors.together(runtime, stages.stream().map(Stage::model).toList());
    }

    /** The run of one microbatch. */
    private PreparedRun rows() {
        PreparedRun whole = loop.prepared();
        long batch = whole.graph().inputs().stream()
                .filter(in -> in.kind() == Graph.InputKind.USER)
                .map(in -> whole.graph().values().get(in.value()))
                .filter(meta -> meta != null && !meta.sizes().isEmpty())
                .findFirst()
                .map(meta -> meta.sizes().get(0).evaluate(whole.symbols()))
                .orElse(1L);
        if (batch % microbatches != 0) {
            throw new UserInputException("--batch " + batch + " cannot be divided in " + microbatches
                    + " equal microbatches; change --microbatches");
        }
        return Preparation.of(imported, whole.scenario().with(ScenarioSettings.BATCH, batch / microbatches));
    }

    @Override
    public void begin(Moment phase) {
        if (phase.phase() == Phase.WRAP) {
            stages.forEach(Stage::wrap);
            loop.model().gather(stages.stream().map(Stage::model).toList());
        }
    }

    @Override
    public void end(Moment phase) {
        if (phase.phase() == Phase.INPUTS) {
            dropFromBatch();
        }
        log.endPhase();
        stages.forEach(Stage::pause);
    }

    /** A rank needs inputs for the first stage, and labels for the last. */
    private void dropFromBatch() {
        loop.batch()
                .drop(stages.stream().noneMatch(Stage::isFirst), stages.stream().noneMatch(Stage::isLast));
    }

    @Override
    public void passes(int step, Runnable own) {
        if (step > 0 && loop.prepared().scenario().loop().newBatches()) {
            loop.loadBatch();
            dropFromBatch();
        }
        loop.phase(Moment.of(Phase.SCHEDULE, step), () -> step(step));
    }

    private void step(int step) {
        runtime.attribute(runtime.number(new Attribution("", Phase.SCHEDULE.label(), "")));
        losses.forEach(runtime::release);
        losses = List.of();
        try (Frame frame = runtime.frame()) {
            stages.forEach(Stage::clear);
            boolean first = stages.stream().anyMatch(Stage::isFirst);
            boolean last = stages.stream().anyMatch(Stage::isLast);
            Step now = new Step(
                    loop,
                    log,
                    peers,
                    step,
                    first ? chunks(input()) : List.of(),
                    last ? chunks(loop.batch().target()) : List.of());
            if (!initialized) {
                initialized = true;
                new WarmUp(runtime, peers, plan, rank).vote(stages);
                stages.forEach(s -> s.makeInputBuffers(microbatches));
                for (int k = stages.size() - 1; k >= 0; k--) {
                    stages.get(k).makeGradientBuffers(microbatches);
                }
            }
            schedule.run(now);
            losses = now.losses();
            for (Stage stage : stages) {
                if (stage.isLast()) {
                    Tensor out = runtime.hold(
                            Joining.cat(runtime, 0, stage.outputChunks().toArray(new Tensor[0])));
                    runtime.release(merged);
                    merged = out;
                }
            }
        }
    }

    private Tensor input() {
        Map<String, Tensor> given = loop.batch().values();
        return loop.prepared().graph().inputs().stream()
                .filter(in -> in.kind() == Graph.InputKind.USER && given.get(in.value()) != null)
                .map(in -> given.get(in.value()))
                .findFirst()
                .orElseThrow(() -> new UserInputException("--parallel pp: the model takes no input"));
    }

    /** {@code torch.tensor_split}: views. */
    private List<Tensor> chunks(Tensor whole) {
        List<Tensor> out = new ArrayList<>();
        long size = whole.size(0) / microbatches;
        for (int m = 0; m < microbatches; m++) {
            long[] sizes = whole.sizes().clone();
            sizes[0] = size;
            out.add(runtime.reinterpret(whole, sizes, whole.strides(), whole.offset() + m * size * whole.stride(0)));
        }
        return out;
    }
}
