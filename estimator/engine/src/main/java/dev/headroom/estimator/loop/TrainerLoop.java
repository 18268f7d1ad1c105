package dev.headroom.estimator.loop;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.fused.SupervisedLoss;
import dev.headroom.estimator.op.loss.Losses;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.trainer.LoopKind;
import dev.headroom.model.trainer.TransformersVersion;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The loop of {@code transformers.Trainer} (5.17, trainer.py, _inner_training_loop, training_step and compute_loss;
 * accelerate 1.15, accelerator.py): all batches of a step come first, the model's outputs die with the loss,
 * gradients are clipped always and dropped last.
 */
final class TrainerLoop implements LoopHook, LibraryLoop {
    private final Scenario run;
    private final TransformersVersion version;
    private TrainingLoop loop;
    private EagerRuntime runtime;
    private TrainerBatches batches;

    /** {@code null} where they are numbers. */
    private @Nullable RatesOnDevice rates;

    /** Whether the model has a wrapper, which is on before training begins. */
    private boolean wrapped;

    /** {@code _tr_loss}. */
    private @Nullable Tensor total;

    /** {@code tr_loss_step}, which lives until the next pass has run. */
    private @Nullable Tensor reported;

    /** {@code grad_norm}. */
    private @Nullable Tensor norm;

    TrainerLoop(Scenario run) {
        this.run = run;
        this.version = run.trainer().transformers();
    }

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
        runtime = to.runtime();
        batches = new TrainerBatches(to);
        boolean ofTensors = run.optimizer().kind().constructor().startsWith("torchao.");
        rates = ofTensors ? new RatesOnDevice(runtime) : null;
    }

    @Override
    public void describe(Beginning to) {
        batches.describe(to);
        if (rates != null) {
            rates.describe(to);
        }
        to.part(total);
        to.part(reported);
        to.part(norm);
    }

    @Override
    public @Nullable LibraryLoop library() {
        return run.loop().inference() ? null : this;
    }

    @Override
    public boolean leadsSteps() {
        return true;
    }

    @Override
    public void begin(Moment phase) {
        boolean first = phase.phase() == Phase.WRAP || phase.phase() == Phase.TRAIN_BEGIN && !wrapped;
        if (first && !run.loop().inference()) {
            runtime.allocator().emptyCache(); // accelerator.free_memory()
        }
        wrapped |= phase.phase() == Phase.WRAP;
    }

    @Override
    public void begin(Runnable makeOptimizer) {
        loop.phase(Moment.of(Phase.TRAIN_BEGIN), () -> {
            makeOptimizer.run();
            if (rates != null) {
                rates.begin();
            }
            try (Frame frame = runtime.frame()) {
                total = runtime.hold(
                        runtime.emptyStrided(DType.FLOAT32, new long[0], new long[0], Category.OPTIMIZER_STATE));
            }
        });
    }

    @Override
    public @Nullable Optimizer optimizer(List<Tensor> parameters, Function<List<Tensor>, @Nullable Optimizer> own) {
        // DeepSpeed's engine exchanges the parameters of each group for one of its own.
        boolean engine = run.parallel().kind().isDeepSpeed();
        return engine ? own.apply(parameters) : new TrainerOptimizer(loop, parameters, own);
    }

    @Override
    public List<List<Tensor>> parameterGroups(List<Tensor> trained) {
        return TrainerOptimizer.groups(loop, trained).stream()
                .filter(group -> !group.isEmpty())
                .toList();
    }

    @Override
    public void step(int step) {
        loop.repeats().playPasses(step, pass -> pass(step, pass));
        boolean engine = run.parallel().kind().isDeepSpeed(); // its step() is part of accelerator.backward()
        if (!engine) {
            loop.phase(Moment.of(Phase.CLIP, step), this::clip);
        }
        loop.phase(Moment.of(Phase.OPTIMIZER, step), () -> loop.step(loop.optimizer()));
        loop.phase(Moment.of(Phase.ZERO_GRAD, step), () -> {
            if (engine) {
                report();
            }
            if (rates != null) {
                rates.change();
            }
            loop.workOf(Phase.ZERO_GRAD);
            loop.zeroGrad();
        });
        if (run.trainer().evalBatch() != null) {
            loop.phase(Moment.of(Phase.EVALUATE, step), new TrainerEvaluation(loop, batches)::run);
        }
    }

    private void pass(int step, int pass) {
        int passes = run.loop().accumulate();
        boolean together = version.countsItems();
        Integer micro = passes > 1 ? pass : null;
        loop.phase(new Moment(Phase.INPUTS, step, micro), () -> {
            if (pass > 0) {
                report();
            }
            if (pass == 0 || !together) {
                batches.load(together ? passes : 1);
            }
            batches.useNext();
        });
        loop.passes().run(step, micro);
    }

    /** accelerate's {@code convert_outputs_to_fp32}, around a forward pass that is a region of autocast itself. */
    @Override
    public Tensor[] outputs(Tensor[] made) {
        loop.passes().leaveAutocast();
        return run.precision().amp() == null ? made : widened(runtime, loop.graph(), made);
    }

    /**
     * {@code convert_to_fp32}, which does not look into objects of keys and values: the caller's references pass over
     * to the results.
     */
    static Tensor[] widened(EagerRuntime runtime, Graph graph, Tensor[] made) {
        Tensor[] out = made.clone();
        try (Frame frame = runtime.frame()) {
            for (int i = 0; i < out.length; i++) {
                boolean cached = graph.outputs().get(i).isCached();
                if (out[i] != null && out[i].dtype().isReducedFloat() && !cached) {
                    out[i] = runtime.hold(Copies.to(runtime, out[i], DType.FLOAT32));
                    runtime.free(out[i]);
                }
            }
        }
        for (int i = 0; i < out.length; i++) {
            if (out[i] != made[i]) {
                runtime.release(made[i]);
            }
        }
        return out;
    }

    @Override
    public Tensor loss(Tensor output, UnaryOperator<Tensor> own) {
        LoopVariables variables = loop.variables();
        return fused()
                ? SupervisedLoss.of(
                        runtime,
                        variables.outputs(),
                        batches.input("attention_mask"),
                        loop.hooks()::gather,
                        variables::deleteOutputs)
                : own.apply(output);
    }

    /** Ranks wait twice for the first one to prepare the data (trl 1.16, sft_trainer.py; dist.barrier()). */
    private void awaitFirstRank() {
        boolean several = run.parallel().kind() != ParallelKind.SINGLE;
        for (int i = 0; several && i < 2; i++) {
            try (Frame frame = runtime.frame()) {
                runtime.empty(DType.UINT8, 1);
                runtime.empty(DType.FLOAT32, 1);
            }
        }
    }

    private boolean fused() {
        return run.trainer().fusesHead();
    }

    /** {@code loss *= num_processes}, where the model is told how many tokens there are. */
    @Override
    public void end(Moment phase) {
        if (phase.phase() == Phase.MODEL && run.trainer().loop() == LoopKind.SFT) {
            awaitFirstRank();
        }
        if (phase.phase() == Phase.LOSS) {
            if (batches.counted() && version.averagesTokens() && !fused()) {
                try (Frame frame = runtime.frame()) {
                    Pointwise.mulInPlace(runtime, loop.variables().loss(), runtime.wrappedNumber(DType.INT64));
                }
            }
            loop.variables().deleteOutputs();
        }
    }

    /**
     * {@code accelerator.backward(loss)}, which divides by its own number of passes: one, since models are told
     * how many labels there are, else those of a step. DeepSpeed's engine is told not to.
     */
    @Override
    public Tensor root(Tensor loss) {
        if (!batches.counted() && version.countsItems()) {
            loop.variables().bindLoss(Losses.divide(runtime, loss)); // by the passes of the step
        }
        Tensor whole = loop.variables().loss();
        return run.parallel().kind().isDeepSpeed() ? whole : Losses.divide(runtime, whole);
    }

    /** {@code logging_nan_inf_filter} looks at the loss of a pass that has run. */
    private void report() {
        loop.workOf(Phase.LOSS);
        try (Frame frame = runtime.frame()) {
            // loss.detach(): the graph goes with the loss.
            Tensor detached = runtime.reinterpret(loop.variables().loss(), new long[0], new long[0], 0);
            runtime.hold(detached);
            runtime.free(detached);
            loop.variables().deleteLoss();
            if (reported != null) {
                runtime.release(reported);
            }
            reported = detached;
            runtime.free(runtime.empty(DType.BOOL)); // isnan
            Tensor absolute = runtime.empty(reported.dtype());
            Tensor infinite = runtime.empty(DType.BOOL);
            runtime.free(absolute);
            runtime.free(infinite);
        }
    }

    private void clip() {
        report();
        if (norm != null) {
            runtime.release(norm);
            norm = null;
        }
        loop.clip(() -> new GradientClipping(runtime).clip(loop.model().parameters(), loop::clipped));
    }

    @Override
    public void clipped(Tensor total) {
        norm = runtime.hold(total);
    }
}
