package dev.headroom.estimator.op.compiled;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.repeat.Remembered;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.compiled.CompiledCode;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The CUDA graphs of {@code mode="reduce-overhead"} (torch/_inductor/cudagraph_trees.py). A code runs once as a
 * warm-up, is recorded in its second call and replayed from then on. The first two take their memory from a private
 * pool on a stream of its own, so that no other tensor ever lies in those segments; a replay allocates nothing, as its
 * tensors have fixed places in the pool and do not own them.
 */
final class CudaGraphs implements Remembered {
    /** The stream of the tree manager, whose requests its private pool serves. */
    private static final int STREAM = 32;

    private static final int POOL = 1;

    private record Made(DType dtype, long[] sizes, long[] strides) {}

    private final EagerRuntime rt;
    private final IdentityHashMap<CompiledCode, Integer> calls = new IdentityHashMap<>();
    private final IdentityHashMap<CompiledCode, List<@Nullable Made>> recorded = new IdentityHashMap<>();

    /** Codes that ran since the generation began. */
    private final Set<CompiledCode> ran = Collections.newSetFromMap(new IdentityHashMap<>());

    /** What the generation's graphs returned to the caller. */
    private final List<Tensor> results = new ArrayList<>();

    private CudaGraphs(EagerRuntime rt) {
        this.rt = rt;
        rt.allocator().emptyCache(); // the manager records an empty graph first
        rt.allocator().beginAllocateToPool(POOL, stream -> stream == STREAM);
    }

    static CudaGraphs of(EagerRuntime rt) {
        return rt.workspaces().remembered(CudaGraphs.class, () -> new CudaGraphs(rt));
    }

    /** {@code CUDAGraphTreeManager._run}; as {@link CodePlayer#play}. */
    @Nullable
    Tensor[] run(CompiledCode code, CodePlayer player, List<@Nullable Tensor> arguments) {
        if (!ran.add(code)) {
            endGeneration();
            ran.add(code);
        }
        int before = calls.merge(code, 1, Integer::sum) - 1;
        List<@Nullable Made> known = recorded.get(code);
        if (known != null) {
            return replayed(known, arguments);
        }
        List<@Nullable Tensor> own = before == 0 ? arguments : copied(code, arguments);
        rt.workspaces().clearBlas();
        if (before > 0) {
            rt.allocator().emptyCache(); // torch/cuda/graphs.py, graph.__enter__
        }
        int stream = rt.streams().use(STREAM);
        Tensor[] made = player.play(own);
        rt.streams().use(stream);
        rt.workspaces().clearBlas();
        if (before > 0) {
            recorded.put(code, described(made));
        }
        return made;
    }

    /** Tells what the caller gets of a call, which does not outlive the next generation. */
    void returned(@Nullable Tensor[] made) {
        for (Tensor t : made) {
            if (t != null && rt.streams().of(t) == STREAM) {
                results.add(t);
            }
        }
    }

    /** The memory of results is taken though Python may still hold them (dealloc_current_path_weakrefs). */
    private void endGeneration() {
        for (Tensor t : results) {
            if (t.storage().useCount() > 0) {
                rt.resizeStorage(t, 0);
            }
        }
        results.clear();
        ran.clear();
    }

    /** Arguments that may lie elsewhere in the next call are copied into the pool, all before any is let go of. */
    private List<@Nullable Tensor> copied(CompiledCode code, List<@Nullable Tensor> arguments) {
        List<@Nullable Tensor> out = new ArrayList<>(arguments);
        int stream = rt.streams().use(STREAM);
        for (int i = 0; i < out.size(); i++) {
            Tensor t = out.get(i);
            if (t != null && moves(code, i, t)) {
                out.set(i, rt.emptyStrided(t.dtype(), t.sizes(), t.strides()));
            }
        }
        rt.streams().use(stream);
        for (int i = 0; i < out.size(); i++) {
            if (out.get(i) != arguments.get(i)) {
                rt.free(arguments.get(i));
            }
        }
        return out;
    }

    /** Parameters, buffers, what forward kept, and what other graphs made stay where they are. */
    private boolean moves(CompiledCode code, int argument, Tensor t) {
        if (rt.streams().of(t) == STREAM) {
            return false;
        }
        boolean backward = code.inputs().keySet().stream().anyMatch(name -> name.startsWith("tangents_"));
        Category category = t.storage().category();
        return backward
                ? code.arguments().get(argument).startsWith("tangents_")
                : category != Category.PARAMETERS && category != Category.BUFFERS;
    }

    private static List<@Nullable Made> described(@Nullable Tensor[] made) {
        List<@Nullable Made> out = new ArrayList<>();
        for (Tensor t : made) {
            out.add(t == null ? null : new Made(t.dtype(), t.sizes(), t.strides()));
        }
        return out;
    }

    private @Nullable Tensor[] replayed(List<@Nullable Made> known, List<@Nullable Tensor> arguments) {
        arguments.forEach(rt::free);
        Tensor[] out = new Tensor[known.size()];
        for (int i = 0; i < out.length; i++) {
            Made made = known.get(i);
            out[i] =
                    made == null ? null : rt.unbacked(made.dtype(), made.sizes(), made.strides(), Category.TEMPORARIES);
        }
        return out;
    }
}
