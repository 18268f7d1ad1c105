package dev.headroom.estimator.loop;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.rewrite.FusedLanguageHead;
import dev.headroom.model.rewrite.ItemsInBatch;
import dev.headroom.model.run.Phase;
import dev.headroom.model.trainer.TransformersVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The batches of a step, all of which are on the device before its first pass, and the number of labels in them
 * (transformers, trainer.py, get_batch_samples and _get_num_items_in_batch; accelerate, data_loader.py).
 */
final class TrainerBatches {
    private final TrainingLoop loop;
    private final EagerRuntime runtime;

    /** From the one that is used next to the one that is used now. */
    private List<Batch> present = List.of();

    private @Nullable Tensor items;
    private boolean counted;

    TrainerBatches(TrainingLoop loop) {
        this.loop = loop;
        this.runtime = loop.runtime();
    }

    /** Whether the model is told how many labels there are. */
    boolean counted() {
        return counted;
    }

    /** An input of the batch that is used, by the name that the model has for it; {@code null} for none. */
    @Nullable
    Tensor input(String name) {
        return loop.graph().inputs().stream()
                .filter(in ->
                        in.kind() == Graph.InputKind.USER && in.qualifiedName().equals(name))
                .map(in -> loop.batch().values().get(in.value()))
                .findFirst()
                .orElse(null);
    }

    /** Goes on to the next batch. */
    void useNext() {
        Batch next = present.remove(0);
        present.add(next);
        loop.use(next);
    }

    /** Adds the batches that there are, which are alike but for whose turn it is. */
    void describe(Beginning to) {
        present.forEach(batch -> batch.describe(to));
        to.part(items);
        to.flag(counted);
    }

    /** Brings the batches of a step; those of the step before live until then. */
    void load(int passes) {
        loop.workOf(Phase.INPUTS);
        List<Batch> next = new ArrayList<>();
        for (int k = 0; k < passes; k++) {
            Batch batch = loop.makeBatch();
            batch.load(UnaryOperator.identity());
            next.add(batch);
        }
        TransformersVersion version = loop.prepared().scenario().trainer().transformers();
        Tensor number = version.countsItems() ? count(next) : null;
        counted = number != null;
        if (number != null && !version.itemsOnDevice()) {
            runtime.release(number); // item()
            number = null;
        }
        // The list of batches goes, the number, and last the batch that the loop's variable still names.
        int last = present.size() - 1;
        for (int k = last - 1; k >= 0; k--) {
            present.get(k).drop();
        }
        if (items != null) {
            runtime.release(items);
        }
        if (last >= 0) {
            present.get(last).drop();
        }
        items = number;
        present = next;
        if (number != null) {
            Tensor shared = number;
            next.forEach(b -> b.give(ItemsInBatch.INPUT, shared));
        }
    }

    /**
     * {@code sum(labels.ne(-100).sum() for labels in batches)}: a sum of booleans casts them first.
     *
     * @return with a reference for the caller; {@code null} without labels, and for models that are told no number
     */
    @Nullable
    Tensor count(List<Batch> batches) {
        String name = ItemsInBatch.labels(loop.graph());
        if (name == null || !ItemsInBatch.isTold(loop.graph())) {
            return null;
        }
        boolean shifted = countsShifted(loop.graph());
        Tensor total = null;
        try (Frame frame = runtime.frame()) {
            for (Batch batch : batches) {
                Tensor one = count(Objects.requireNonNull(batch.values().get(name), name), shifted);
                Tensor sum = runtime.emptyStrided(DType.INT64, new long[0], new long[0], Category.INPUTS);
                if (total != null) {
                    runtime.free(total);
                }
                total = sum;
                runtime.free(one);
            }
            total = ofAllRanks(Objects.requireNonNull(total, "a sum"));
            runtime.hold(total);
            runtime.free(total);
        }
        return total;
    }

    /** {@code accelerator.gather(num_items_in_batch).sum()}; on one GPU the number itself. */
    private Tensor ofAllRanks(Tensor own) {
        Tensor gathered = loop.hooks().gather(own);
        if (gathered == null) {
            return own;
        }
        Tensor sum = runtime.emptyStrided(DType.INT64, new long[0], new long[0], Category.INPUTS);
        runtime.free(gathered);
        runtime.free(own);
        return sum;
    }

    /**
     * Labels are moved by one within losses of causal models, and the first is not counted there, where the library
     * tells by the class's name that the loss is one (trainer.py, _loss_shifts_labels): GPT2LMHeadModel's does not.
     */
    private static boolean countsShifted(Graph graph) {
        boolean named = graph.nodes().stream()
                .filter(n -> !n.moduleStack().isEmpty())
                .map(n -> n.moduleStack().get(0).type())
                .anyMatch(type -> !type.endsWith("LMHeadModel"));
        return named && graph.nodes().stream().anyMatch(TrainerBatches::shiftsLabels);
    }

    private static boolean shiftsLabels(Node n) {
        return n.operator().equals(FusedLanguageHead.HEAD)
                || n.operator().equals(FusedLanguageHead.LIGER)
                || n.operator().equals("aten.pad") && n.stackTrace().contains("loss_function");
    }

    private Tensor count(Tensor labels, boolean shifted) {
        long[] sizes = labels.sizes().clone();
        if (shifted) {
            sizes[sizes.length - 1]--;
        }
        Tensor valid = runtime.empty(DType.BOOL, sizes);
        Tensor sum = Reductions.sum(runtime, valid, null, false, DType.INT64);
        runtime.free(valid);
        return sum;
    }
}
