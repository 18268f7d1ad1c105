package dev.headroom.estimator.parallel.zero;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.parallel.unit.MoveOrder;
import dev.headroom.estimator.parallel.zero.base.ZeroSettings;
import dev.headroom.estimator.parallel.zero.base.ZeroStage;
import dev.headroom.estimator.parallel.zero.flat.FlatStage;
import dev.headroom.estimator.parallel.zero.sharded.ShardedModel;
import dev.headroom.estimator.parallel.zero.sharded.ShardedStage;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One rank under DeepSpeed's engine (deepspeed/runtime/engine.py). */
public final class DeepSpeedEngine implements LoopHook {
    private static final int LAST_STAGE = 3;

    private final ZeroSettings settings;
    private final Collectives collectives;

    private final Parallelism.Build build;

    /** Whether the engine divides by the passes of a step; a Trainer does it itself ({@code scale_wrt_gas=False}). */
    private final boolean divides;

    private TrainingLoop loop;
    private EagerRuntime runtime;
    private @Nullable ZeroStage stage;

    public DeepSpeedEngine(Scenario run, Collectives collectives) {
        this.settings = ZeroSettings.of(run);
        this.build = run.parallel().build();
        this.divides = !run.trainer().loop().isTrainer();
        if (run.precision().amp() != null) {
            throw new UserInputException("`amp` cannot be combined with `parallel="
                    + run.parallel().kind().option() + "`: DeepSpeed converts the model; name a type with `dtype`");
        }
        if (build == Parallelism.Build.META) {
            throw new UserInputException("`build=meta`: DeepSpeed takes models on cpu or cuda, or (zero3) made under"
                    + " deepspeed.zero.Init; name `build=cpu`, cuda or zero-init");
        }
        this.collectives = collectives;
    }

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
        runtime = to.runtime();
    }

    @Override
    public boolean wraps() {
        return true;
    }

    @Override
    public boolean leadsSteps() {
        return true;
    }

    /** The script's optimizer, whose parameters are exchanged: only what it allocates when it is made counts. */
    @SuppressWarnings("ReturnValueIgnored")
    private static void makeOwn(Function<List<Tensor>, @Nullable Optimizer> own, List<Tensor> trained) {
        own.apply(trained);
    }

    /** deepspeed.initialize. */
    @Override
    public Optimizer optimizer(List<Tensor> parameters, Function<List<Tensor>, @Nullable Optimizer> own) {
        List<Tensor> trained = parameters.stream().filter(Tensor::requiresGrad).toList();
        if (build == Parallelism.Build.CUDA) {
            makeOwn(own, trained);
        }
        if (stage == null) {
            convert();
        }
        move();
        if (stage == null) {
            for (Tensor p : parameters) {
                collectives.runHere(CollectiveKind.BROADCAST, p.nbytes(), p.dtype(), 0);
            }
            stage = settings.stage() < LAST_STAGE
                    ? new FlatStage(runtime, collectives, settings)
                    : sharded(loop.model());
        }
        return stage().optimizer(loop.parameterGroups(trained), own);
    }

    private ShardedStage sharded(ModelTensors model) {
        // Communicators are numbered as they are first used: deepspeed.zero.Init hands out parameters at once.
        boolean init = build == Parallelism.Build.ZERO_INIT;
        Collectives beside = collectives.beside(1);
        return new ShardedStage(
                runtime,
                init ? beside : collectives,
                init ? collectives : beside,
                settings,
                new ShardedModel(
                        runtime,
                        loop.graph(),
                        model,
                        collectives.group().size(),
                        collectives.group().rank()));
    }

    /** Under deepspeed.zero.Init the model is never whole. */
    @Override
    public ModelTensors model(Supplier<ModelTensors> own) {
        ModelTensors model = own.get();
        if (build == Parallelism.Build.ZERO_INIT) {
            ShardedStage born = sharded(model);
            born.construct(loop.graph().held(), model, !divides);
            stage = born;
        }
        return model;
    }

    /**
     * {@code module.half()} or {@code module.bfloat16()}, of what was added to the model in another type, before the
     * model is moved; without, all is to be in single precision (_configure_distributed_model).
     */
    private void convert() {
        DType wanted = loop.prepared().scenario().precision().dtype();
        for (String name : held()) {
            Tensor t = loop.model().named(name);
            if (!t.dtype().isFloatingPoint() || t.dtype() == (wanted == null ? DType.FLOAT32 : wanted)) {
                continue;
            }
            if (wanted == null) {
                throw new UserInputException(
                        "`parallel=zero1` to zero3: DeepSpeed takes a model in fp32 unless it is to"
                                + " convert it, and '" + name + "' is of another type; add `dtype=bf16`");
            }
            try (Frame frame = runtime.frame()) {
                Tensor made = t.onDevice()
                        ? runtime.emptyStrided(wanted, t.sizes(), t.strides(), Category.PARAMETERS)
                        : runtime.hostTensor(wanted, t.sizes());
                runtime.setData(t, made, t.strides(), 0);
            }
        }
    }

    /** Parameters and buffers in the order of {@code Module._apply}; states of quantised weights are neither. */
    private List<String> held() {
        ModelState state = loop.graph().held();
        return MoveOrder.of(state).stream()
                .filter(name ->
                        Objects.requireNonNull(state.tensors().get(name)).kind() != Graph.InputKind.CONSTANT)
                .toList();
    }

    /** {@code module.to(device)}. */
    private void move() {
        for (String name : held()) {
            Tensor t = loop.model().named(name);
            if (!t.onDevice()) {
                boolean buffer = loop.model().buffers().contains(t);
                try (Frame frame = runtime.frame()) {
                    Category category = buffer ? Category.BUFFERS : Category.PARAMETERS;
                    runtime.setData(
                            t, runtime.emptyStrided(t.dtype(), t.sizes(), t.strides(), category), t.strides(), 0);
                }
            }
        }
    }

    /** Between two passes of a step the engine's {@code step()} does nothing. */
    @Override
    public void between(Moment next) {
        if (divides && next.phase() == Phase.FORWARD && next.micro() != null && next.micro() > 0) {
            loop.phase(new Moment(Phase.STEP, next.step(), next.micro() - 1), () -> {});
        }
    }

    @Override
    public void begin(Moment phase) {
        if (phase.phase() == Phase.FORWARD) {
            stage().beginForward();
        }
    }

    @Override
    public void end(Moment phase) {
        if (stage != null) {
            stage().endPause();
        }
    }

    /** Gradients of all outputs are divided by the passes of a step (register_output_backward_hooks). */
    @Override
    public Tensor[] outputs(Tensor[] made) {
        for (Tensor t : made) {
            if (divides && t != null && t.requiresGrad() && !t.isLeaf()) {
                runtime.tape().addHook(t, gradient -> Pointwise.op(runtime, gradient));
            }
        }
        return made;
    }

    /** The loss divided by the passes of a step, for the caller, and the loss times its scale. */
    @Override
    public Tensor root(Tensor loss) {
        Integer pass = loop.moment().micro();
        stage().beginBackward(pass == null ? 0 : pass, pass == null || pass == settings.passes() - 1);
        if (divides) {
            Pointwise.div(runtime, loss, runtime.wrappedNumber(DType.INT64));
        }
        return Pointwise.mul(runtime, loss, runtime.wrappedNumber(DType.FLOAT64));
    }

    @Override
    public void backward(Runnable own) {
        own.run();
        stage().endBackward();
    }

    private ZeroStage stage() {
        return Objects.requireNonNull(stage, "the engine is not initialized yet");
    }
}
