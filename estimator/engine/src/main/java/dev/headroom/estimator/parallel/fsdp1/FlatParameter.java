package dev.headroom.estimator.parallel.fsdp1;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Parts;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Parameters one after another: this rank's part, and the whole with the views that modules use
 * (torch/distributed/fsdp/_flat_param.py, FlatParamHandle).
 */
final class FlatParameter {
    private final EagerRuntime runtime;
    private final FlatLayout layout;
    private final Tensor shard;
    private final DType lasting;
    private final DType type;
    private final boolean offloaded;
    private final boolean converts;
    private final boolean divided;

    /** Whether the modules' views are variables whose memory is changed each time the whole is brought. */
    private final boolean rebinds;

    private final Tensor whole;
    private final @Nullable Tensor lowPrecision;
    private final List<Tensor> views = new ArrayList<>();
    private @Nullable Tensor brought;

    /** What views are of that were made when the whole was brought from the host: nothing frees it until the next. */
    private @Nullable Tensor viewed;

    /**
     * A flat parameter.
     *
     * @param shard this rank's part; with a reference that passes over
     * @param sizes of the parameters
     * @param lasting type of the part, which {@link #settle} gives to it
     * @param type in which modules use them
     * @param offloaded the part is in host memory
     * @param divided whether other ranks have other parts
     * @param originals whether modules keep parameters of their own
     */
    FlatParameter(
            EagerRuntime runtime,
            FlatLayout layout,
            Tensor shard,
            List<long[]> sizes,
            DType lasting,
            DType type,
            boolean offloaded,
            boolean divided,
            boolean originals) {
        this.runtime = runtime;
        this.layout = layout;
        this.shard = shard;
        this.type = type;
        this.offloaded = offloaded;
        this.divided = divided;
        this.lasting = lasting;
        this.converts = type != lasting;
        this.rebinds = originals && offloaded && !divided && !converts;
        boolean apart = divided || converts || offloaded;
        try (Frame frame = runtime.frame()) {
            whole = apart ? unbacked(layout.numel()) : shard;
            lowPrecision = converts && divided ? unbacked(layout.shard()) : null;
            runtime.requireGrad(whole, shard.requiresGrad());
            for (FlatLayout.Piece p : layout.pieces()) {
                if (p.parameter() >= 0) {
                    long[] of = sizes.get(p.parameter());
                    views.add(runtime.hold(runtime.reinterpret(whole, of, Shapes.contiguous(of), p.offset())));
                }
            }
        }
    }

    private Tensor unbacked(long numel) {
        return runtime.hold(runtime.unbacked(type, new long[] {numel}, new long[] {1}, Category.PARAMETERS));
    }

    FlatLayout layout() {
        return layout;
    }

    /** {@code flat_param.data = flat_param.data.to(type)}; views of it are of the memory before. */
    void settle() {
        if (shard.dtype() == lasting) {
            return;
        }
        try (Frame frame = runtime.frame()) {
            long[] sizes = shard.sizes();
            Tensor widened = shard.onDevice()
                    ? runtime.emptyStrided(lasting, sizes, shard.strides(), Category.PARAMETERS)
                    : runtime.hostTensor(lasting, sizes);
            runtime.setData(shard, widened, shard.strides(), 0);
        }
    }

    /** What the optimizer steps. */
    Tensor shard() {
        return shard;
    }

    /** The leaf of backward passes. */
    Tensor whole() {
        return whole;
    }

    /** What modules use, by parameter. */
    List<Tensor> views() {
        return views;
    }

    DType type() {
        return type;
    }

    boolean isDivided() {
        return divided;
    }

    boolean isOffloaded() {
        return offloaded;
    }

    /** Whether the whole is there: what is not divided always is. */
    boolean isWhole() {
        return !divided || whole.storage().bytes() > 0;
    }

    /** Takes memory and gives it back, once (init_flat_param_attributes). */
    void initialise() {
        try (Frame frame = runtime.frame()) {
            if (converts) {
                runtime.free(runtime.empty(type, layout.shard()));
            }
            if (divided) {
                long padded = layout.shard() * layout.ranks();
                runtime.free(runtime.empty(type, padded));
                if (converts) {
                    runtime.free(runtime.empty(shard.dtype(), padded));
                }
            }
        }
    }

    /** Brings the shard to where it is gathered from (pre_unshard). */
    void prepare() {
        if (divided && !offloaded && isWhole()) {
            return;
        }
        try (Frame frame = runtime.frame()) {
            if (converts) {
                Tensor low = divided ? lowPrecision : whole;
                runtime.resizeStorage(Objects.requireNonNull(low), low.numel() * type.bytes());
                if (offloaded) {
                    runtime.empty(shard.dtype(), layout.shard());
                }
            } else if (offloaded && divided) {
                brought = runtime.hold(runtime.empty(type, layout.shard()));
            } else if (offloaded) {
                brought = runtime.hold(runtime.emptyStrided(type, whole.sizes(), whole.strides(), Category.PARAMETERS));
            }
        }
    }

    /** The whole has memory. */
    void allocate() {
        runtime.resizeStorage(whole, layout.shard() * layout.ranks() * type.bytes());
    }

    /** On the GPU is what was there when the flat parameter moved to the host; the reference passes over. */
    void keep(Tensor before) {
        viewed = before;
    }

    /**
     * The modules' views are of what was brought, and no more of what was brought before (_use_unsharded_views). What
     * operators saved of them is as well, but for views of these views, such as transposed weights.
     */
    void view() {
        if (divided) {
            return;
        }
        if (rebinds) {
            Tensor now = Objects.requireNonNull(brought);
            for (FlatLayout.Piece p : layout.pieces()) {
                if (p.parameter() >= 0) {
                    Tensor view = views.get(p.parameter());
                    runtime.setData(view, now, view.strides(), p.offset());
                }
            }
            releaseBrought();
            return;
        }
        runtime.release(viewed);
        viewed = brought;
        brought = null;
    }

    /** What was brought is gathered (post_unshard): it ends when the current stream has used it. */
    void releasePrepared(boolean keepBrought) {
        if (brought != null && divided) {
            runtime.streams().recordUse(brought, runtime.streams().current());
        }
        if (!keepBrought && divided) {
            releaseBrought();
        }
        if (lowPrecision != null && lowPrecision.storage().bytes() > 0) {
            runtime.streams().recordUse(lowPrecision, runtime.streams().current());
            runtime.resizeStorage(lowPrecision, 0);
        }
    }

    void releaseBrought() {
        runtime.release(brought);
        brought = null;
    }

    /** Frees the whole; the current stream has used it last. */
    void free() {
        if (whole.storage().bytes() > 0) {
            runtime.streams().recordUse(whole, runtime.streams().current());
            runtime.resizeStorage(whole, 0);
        }
    }

    /** What is not divided but converted or brought goes after each use (post_reshard). */
    void freeUndivided() {
        if (!divided && whole != shard) {
            free();
        }
    }

    /** Gives the views a history anew: pieces of the whole, in their shapes (_use_unsharded_views). */
    void makeViews() {
        boolean mode = runtime.setGradMode(true);
        try (Frame frame = runtime.frame()) {
            Tensor[] pieces = Parts.split(runtime, whole, 0, layout.lengths());
            for (int i = 0; i < pieces.length; i++) {
                int parameter = layout.pieces().get(i).parameter();
                if (parameter >= 0 && whole.requiresGrad()) {
                    long[] flat = pieces[i].sizes();
                    Recorder view = runtime.record("ViewBackward0", pieces[i]);
                    view.gradient(0, g -> flat(g, flat)).output(views.get(parameter));
                }
            }
        } finally {
            runtime.setGradMode(mode);
        }
    }

    private Tensor flat(Tensor gradient, long[] sizes) {
        Tensor g = Copies.contiguous(runtime, gradient);
        return runtime.reinterpret(g, sizes, new long[] {1}, g.offset());
    }
}
