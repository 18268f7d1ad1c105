package dev.headroom.estimator.parallel.pipeline;

import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.PreparedRuns;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.op.core.Joining;
import dev.headroom.estimator.parallel.group.CollectiveLog;
import dev.headroom.estimator.program.ForwardPass;
import dev.headroom.estimator.program.ModelAssembly;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.program.ModelTypes;
import dev.headroom.estimator.program.Placement;
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
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One rank of a pipeline: its stages take the place of the model, its schedule that of the passes. */
public final class Pipeline implements LoopHook {
    private final PreparedRuns runs;
    private final Parallelism parallel;
    private final CollectiveLog log;
    private final int rank;
    private final int microbatches;
    private final StagePlan plan;
    private final Regimes regimes;
    private TrainingLoop loop;
    private EagerRuntime runtime;
    private Peers peers;
    private @Nullable Division division;
    private List<Stage> stages = List.of();
    private @Nullable Schedule schedule;

    /** The names {@code out} and {@code losses} of the loop. */
    private @Nullable Tensor merged;

    private List<Tensor> losses = List.of();
    private boolean initialized;

    /**
     * A rank.
     *
     * @param runs of the model
     * @param rank among those of the pipeline
     * @param regimes that each stage is wrapped by, the innermost first
     */
    public Pipeline(PreparedRuns runs, Parallelism parallel, int rank, CollectiveLog log, Regimes regimes) {
        this.runs = runs;
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
        division = runs.common(
                Division.class,
                rows.scenario(),
                () -> Division.stages(rows, plan.stages(), parallel.pipeline().split()));
        List<Stage> made = new ArrayList<>();
        for (int index : plan.of(rank)) {
            division().checkInput(index);
            Graph graph = division().held(index);
            boolean elsewhere = parallel.build() == Parallelism.Build.META
                    && parallel.kind().isPipelineInGrid();
            boolean converts = ModelTypes.converts(loop.graph(), loop.prepared().scenario());
            ModelAssembly.Form form = new ModelAssembly.Form(
                    converts ? loop.prepared().scenario().precision().dtype() : null,
                    Scenario.defaults().kernels(),
                    elsewhere);
            ModelAssembly assembled = new ModelAssembly(runtime, graph, form, Placement.FIRST);
            ModelTensors model = new ModelTensors(runtime, assembled.move().add());
            StageModule module = new StageModule(
                    runtime, loop.engine(), graph, model, division().modules(index), rows.symbols(), made.size());
            made.add(new Stage(loop, rows, division, index, model, regimes.of(loop.graph(), module)));
        }
        if (made.stream().allMatch(stage -> stage.model().parameters().isEmpty())
                && loop.prepared().scenario().optimizer().kind() != OptimizerKind.NONE) {
            throw new UserInputException("`parallel=pp`: rank " + rank + " has no parameters, and PyTorch's optimizers"
                    + " take no empty list; cut elsewhere with `split`");
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
            throw new UserInputException("`batch=" + batch + "` cannot be divided in " + microbatches
                    + " equal microbatches; change `microbatches`");
        }
        return runs.of(whole.scenario().with(ScenarioSettings.BATCH, batch / microbatches));
    }

    /** The stages' own passes take the place of the model's; told are their runs. */
    @Override
    public ForwardPass forward(ForwardPass own) {
        return new StagePasses(stages, division().nodes());
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
        List<String> kept = new ArrayList<>();
        for (Stage stage : stages) {
            if (stage.isFirst()) {
                kept.addAll(division().parts().get(0).inputs());
            }
            if (stage.isLast() && division().loss() != null) {
                kept.addAll(division().loss().inputs());
            }
        }
        loop.batch().keep(kept, stages.stream().noneMatch(Stage::isLast));
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
            Step now = new Step(loop, log, peers, step, first ? chunks(input()) : List.of(), last ? losses() : null);
            if (!initialized) {
                initialized = true;
                new WarmUp(runtime, peers, plan, rank).vote(stages);
                stages.forEach(s -> s.buffers().makeInputs(microbatches));
                for (int k = stages.size() - 1; k >= 0; k--) {
                    stages.get(k).buffers().makeGradients(microbatches);
                }
            }
            schedule().run(now);
            losses = now.losses();
            for (Stage stage : stages) {
                if (stage.isLast()) {
                    if (stage.outputChunks().get(0).dim() == 0) {
                        throw new UserInputException("`parallel=pp`: the model returns a scalar, and outputs of"
                                + " microbatches are joined; have it return its scores");
                    }
                    Tensor out = runtime.hold(
                            Joining.cat(runtime, 0, stage.outputChunks().toArray(new Tensor[0])));
                    runtime.release(merged);
                    merged = out;
                }
            }
        }
    }

    /** The loss of a microbatch's output; a local variable of the running frame, or the output itself. */
    private Step.Loss losses() {
        if (division().loss() == null) {
            Tensor target = loop.batch().target();
            List<Tensor> targets = target == null ? List.of() : chunks(target);
            return (stage, output, m) -> loop.batch().loss(output, target == null ? null : targets.get(m));
        }
        List<Map<String, Tensor>> labels = labels();
        return (stage, output, m) -> stage.ownLoss(output, labels.get(m));
    }

    private Tensor input() {
        Tensor given =
                loop.batch().values().get(division().parts().get(0).inputs().get(0));
        if (given == null) {
            throw new UserInputException("`parallel=pp`: the model takes no input");
        }
        return given;
    }

    /** What the loss is given beside the output, by microbatch. */
    private List<Map<String, Tensor>> labels() {
        List<Map<String, Tensor>> out = new ArrayList<>();
        for (int m = 0; m < microbatches; m++) {
            out.add(new HashMap<>());
        }
        for (String name : division().loss() == null
                ? List.<String>of()
                : division().loss().inputs()) {
            Tensor whole = loop.batch().values().get(name);
            List<Tensor> chunks = whole == null ? List.of() : chunks(whole);
            for (int m = 0; m < chunks.size(); m++) {
                out.get(m).put(name, chunks.get(m));
            }
        }
        return out;
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

    private Division division() {
        return Objects.requireNonNull(division, "the model is not divided yet");
    }

    private Schedule schedule() {
        return Objects.requireNonNull(schedule, "the model is not divided yet");
    }
}
