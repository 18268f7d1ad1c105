package dev.headroom.estimator.loop;

import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.rewrite.ItemsInBatch;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.trainer.TrainerOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An evaluation of the Trainer (transformers 5.17, trainer.py, evaluation_loop and prediction_step): losses, and with
 * metrics scores and labels, are put together on the device batch by batch, each time in a new tensor, until they go to
 * the host. Layers that behave otherwise in training, such as dropout, are played as in training.
 */
final class TrainerEvaluation {
    /** What is gathered, in the order of the library's containers. */
    private static final int KINDS = 3;

    private static final int LOSS = 0;
    private static final int SCORES = 1;
    private static final int LABELS = 2;

    private final TrainingLoop loop;
    private final EagerRuntime runtime;
    private final TrainerBatches batches;
    private final TrainerOptions options;
    private final long batch;
    private final PreparedRun sized;

    /** Those of the last batch, which names of the loop hold. */
    private Tensor[] named = new Tensor[KINDS];

    private final Tensor[] gathered = new Tensor[KINDS];
    private @Nullable Batch inputs;

    TrainerEvaluation(TrainingLoop loop, TrainerBatches batches) {
        this.loop = loop;
        this.runtime = loop.runtime();
        this.batches = batches;
        this.options = loop.prepared().scenario().trainer();
        this.batch = Objects.requireNonNull(options.evalBatch());
        this.sized = sized(loop.prepared(), batch);
    }

    /** The run with the batch size of evaluations. */
    private static PreparedRun sized(PreparedRun run, long batch) {
        Map<String, Long> symbols = new LinkedHashMap<>(run.symbols());
        boolean[] open = {false};
        for (Graph.Input in : run.graph().inputs()) {
            TensorMeta meta = run.graph().values().get(in.value());
            if (in.kind() == Graph.InputKind.USER
                    && meta != null
                    && !meta.sizes().isEmpty()) {
                meta.sizes().get(0).forEachSymbol(symbol -> {
                    symbols.put(symbol, batch);
                    open[0] = true;
                });
            }
        }
        if (!open[0]) {
            throw new UserInputException("`eval_batch`: the model's batch size is fixed; export it with an open one");
        }
        return new PreparedRun(run.graph(), run.scenario(), symbols, run.plan());
    }

    void run() {
        for (int k = 1; k <= options.evalBatches(); k++) {
            predict();
            Integer every = options.evalAccumulation();
            if (every != null && k % every == 0) {
                release(gathered);
                release(named); // the loader's counter still holds the batch
                runtime.allocator().emptyCache();
            }
        }
        release(gathered);
        forget();
    }

    /** prediction_step, and what it returns put to what there is. */
    private void predict() {
        loop.workOf(Phase.EVALUATE);
        Batch next = loop.makeBatch(sized);
        next.load(UnaryOperator.identity());
        if (inputs != null) {
            inputs.drop();
        }
        inputs = next;
        Tensor items = batches.count(List.of(next));
        if (items != null) {
            next.give(ItemsInBatch.INPUT, items);
        }
        Graph graph = sized.graph();
        Tensor[] made =
                loop.passes().evaluate(loop.runner(CheckpointPlan.none(graph), graph, sized.symbols()), next.values());
        if (sized.scenario().precision().amp() != null) {
            made = TrainerLoop.widened(runtime, graph, made);
        }
        try (Frame frame = runtime.frame()) {
            Tensor mean = runtime.hold(Reductions.mean(runtime, made[0], null, false, made[0].dtype()));
            runtime.free(mean);
            release(items);
            release(made[0]);
            Tensor[] before = named;
            named = new Tensor[] {mean, null, null};
            keep(made);
            release(before);
            gather();
        }
    }

    private void keep(Tensor[] made) {
        for (int i = 1; i < made.length; i++) {
            if (options.evalMetrics() && i == SCORES) {
                named[SCORES] = made[i];
            } else {
                release(made[i]);
            }
        }
        Tensor labels = Objects.requireNonNull(inputs, "a batch").values().get(ItemsInBatch.labels(loop.graph()));
        if (options.evalMetrics() && labels != null) {
            named[LABELS] = runtime.hold(labels);
        }
    }

    private void gather() {
        Tensor mean = named[LOSS];
        named[LOSS] = runtime.hold(runtime.empty(mean.dtype(), batch));
        runtime.free(named[LOSS]);
        release(mean);
        ofAllRanks(LOSS);
        add(LOSS);
        for (int kind : new int[] {LABELS, SCORES}) { // pad_across_processes tells the others the sizes
            if (named[kind] != null) {
                Tensor sizes = runtime.empty(DType.INT64, 1, named[kind].dim());
                runtime.free(loop.hooks().gather(sizes));
                runtime.free(sizes);
            }
        }
        for (int kind : new int[] {SCORES, LABELS}) {
            ofAllRanks(kind);
            add(kind);
        }
    }

    /** {@code gather_for_metrics}. */
    private void ofAllRanks(int kind) {
        Tensor own = named[kind];
        Tensor gathered = own == null ? null : loop.hooks().gather(own);
        if (gathered != null) {
            named[kind] = runtime.hold(gathered);
            runtime.free(gathered);
            release(own);
        }
    }

    /** EvalLoopContainer.add. */
    private void add(int kind) {
        Tensor latest = named[kind];
        if (latest == null) {
            return;
        }
        Tensor before = gathered[kind];
        if (before == null) {
            gathered[kind] = runtime.hold(latest);
            return;
        }
        long[] sizes = latest.sizes().clone();
        sizes[0] += before.size(0);
        gathered[kind] = runtime.hold(runtime.empty(latest.dtype(), sizes));
        runtime.free(gathered[kind]);
        release(before);
    }

    private void forget() {
        if (inputs != null) {
            inputs.drop();
            inputs = null;
        }
        release(named);
    }

    private void release(Tensor[] all) {
        for (int i = 0; i < all.length; i++) {
            release(all[i]);
            all[i] = null;
        }
    }

    private void release(@Nullable Tensor t) {
        if (t != null) {
            runtime.release(t);
        }
    }
}
