package dev.headroom.estimator.feed;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.loop.Batch;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.run.PreparedRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A loader that prefetches, as timm's (timm/data/loader.py, PrefetchLoader.__iter__) and those of NVIDIA's examples: on
 * a stream of its own, a new one each epoch, the next batch comes while the script still holds the batch that it has
 * trained on and the loader the one that it gives out next. Images come to timm's as bytes and become floats.
 */
final class PrefetchLoader implements Loader {
    /** Streams of PyTorch's pool, from which {@code torch.cuda.Stream()} draws in turn (c10/cuda/CUDAStream.cpp). */
    private static final int POOL = 32;

    /** Beyond the streams that other parts of a run draw. */
    private static final int FIRST_STREAM = 64;

    private static final int IMAGE = 4;

    private final TrainingLoop loop;
    private final EagerRuntime runtime;
    private final boolean timms;
    /** The mean and the deviation of images. */
    private final List<Tensor> normalisation = new ArrayList<>();

    private int epoch = -1;
    private @Nullable Batch next;

    /** @param timms whether images come as bytes, and are normalised on the device */
    PrefetchLoader(TrainingLoop loop, boolean timms) {
        this.loop = loop;
        this.timms = timms;
        this.runtime = loop.runtime();
    }

    /** The mean and the deviation that images are normalised with, one number a channel. */
    @Override
    public void make() {
        for (Graph.Input in : loop.graph().inputs()) {
            TensorMeta meta = loop.graph().values().get(in.value());
            if (timms && meta != null && isImage(in, meta)) {
                long[] channels = {
                    1, meta.sizes().get(1).evaluate(loop.prepared().symbols()), 1, 1
                };
                normalisation.add(hold(DType.FLOAT32, channels));
                normalisation.add(hold(DType.FLOAT32, channels));
            }
        }
    }

    private static boolean isImage(Graph.Input in, TensorMeta meta) {
        return in.kind() == Graph.InputKind.USER && meta.sizes().size() == IMAGE;
    }

    private Tensor hold(DType type, long... sizes) {
        try (Frame frame = runtime.frame()) {
            return runtime.hold(runtime.emptyStrided(type, sizes, Shapes.contiguous(sizes), Category.INPUTS));
        }
    }

    @Override
    public boolean fetchesAhead() {
        return true;
    }

    @Override
    public void describe(Beginning to) {
        to.number(epoch);
        normalisation.forEach(to::part);
        if (next != null) {
            next.describe(to);
        }
    }

    @Override
    public void begin(Step step) {
        epoch++;
        Batch now = fetched(step.sizes());
        next = step.next() == null ? null : fetched(step.next());
        giveOut(now);
    }

    @Override
    public void go(Step step) {
        Batch now = Objects.requireNonNull(next, "a batch ahead");
        next = step.next() == null ? null : fetched(step.next());
        giveOut(now);
    }

    private void giveOut(Batch now) {
        Batch before = loop.batch();
        loop.use(now);
        before.drop();
    }

    private Batch fetched(PreparedRun sizes) {
        int outside = runtime.streams().use(FIRST_STREAM + epoch % POOL);
        List<Tensor> bytes = bytes(sizes);
        Batch made = loop.makeBatch(sizes);
        loop.load(made);
        bytes.forEach(runtime::release);
        runtime.streams().use(outside);
        return made;
    }

    /** Images as the loader's workers make them. */
    private List<Tensor> bytes(PreparedRun sizes) {
        List<Tensor> out = new ArrayList<>();
        for (Graph.Input in : sizes.graph().inputs()) {
            TensorMeta meta = sizes.graph().values().get(in.value());
            if (timms && meta != null && isImage(in, meta)) {
                out.add(hold(
                        DType.UINT8,
                        meta.sizes().stream()
                                .mapToLong(s -> s.evaluate(sizes.symbols()))
                                .toArray()));
            }
        }
        return out;
    }
}
