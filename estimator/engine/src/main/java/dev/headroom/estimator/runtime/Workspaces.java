package dev.headroom.estimator.runtime;

import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.repeat.Remembered;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.TorchVersion;
import dev.headroom.model.scenario.TorchVersion.LtWorkspace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * cuBLAS workspaces. PyTorch takes one per library handle and stream from its own allocator at the first matrix
 * product, and keeps it: the main thread and autograd's workers have a handle each (aten/src/ATen/cuda/
 * CublasHandlePool.cpp, getCUDABlasLtWorkspace and setWorkspaceForHandle). Versions differ, see {@link TorchVersion}.
 */
public final class Workspaces {
    private long bounds;
    /** Default of {@code CUBLASLT_WORKSPACE_SIZE}. */
    private static final long LT_BYTES = 1024 * 1024;

    private static final int GENERATOR_BYTES = 48;

    private final EagerRuntime runtime;

    /** By device, then number of the handle. */
    private final List<List<Tensor>> blas;

    private final List<List<Tensor>> lt;

    private final Map<Class<?>, Remembered> kept = new LinkedHashMap<>();
    private final Set<Object> done = Collections.newSetFromMap(new IdentityHashMap<>());

    /** By device. */
    private final Tensor[] dropoutStates;

    Workspaces(EagerRuntime runtime, int devices) {
        this.runtime = runtime;
        blas = lists(devices);
        lt = lists(devices);
        dropoutStates = new Tensor[devices];
    }

    /** Whether something that a process does once, such as compiling a graph, is done now. */
    public boolean firstTime(Object what) {
        return done.add(what);
    }

    /** What rules remember as long as the process lives, such as the CUDA graphs that it recorded. */
    public <T extends Remembered> T remembered(Class<T> kind, Supplier<T> made) {
        return kind.cast(kept.computeIfAbsent(kind, k -> made.get()));
    }

    /** {@code torch._C._cuda_clearCublasWorkspaces}: the next product takes a workspace anew. */
    public void clearBlas() {
        for (List<List<Tensor>> all : List.of(blas, lt)) {
            for (List<Tensor> byHandle : all) {
                for (Tensor t : byHandle) {
                    if (t != null) {
                        runtime.release(t);
                    }
                }
                byHandle.clear();
            }
        }
    }

    /** Called by every matrix product after it made its result. */
    public void useBlas() {
        TorchVersion torch = runtime.options().torch();
        if (torch.keepsBlasWorkspace()) {
            keep(blas, torch.blasWorkspaceBytes(runtime.device().major()));
        }
    }

    /** Called by every product that cuBLASLt adds a bias to; its handle is cuBLAS's. */
    public void useBlasLt() {
        LtWorkspace kind = runtime.options().torch().ltWorkspace();
        if (kind == LtWorkspace.KEPT) {
            useBlas();
            keep(lt, LT_BYTES);
            return;
        }
        Tensor scratch = kind == LtWorkspace.PER_CALL ? runtime.workspace(LT_BYTES) : null;
        useBlas();
        runtime.free(scratch);
    }

    /**
     * Called by recurrent layers that drop values between layers: cuDNN's random generators, made from a seed once a
     * device and kept (ATen/native/cudnn/RNN.cpp, get_dropout_state; cudnnDropoutGetStatesSize: 48 bytes for every
     * other resident thread, with the recorder's stub for all of them).
     */
    public void useDropoutStates() {
        int device = runtime.devices().current();
        if (dropoutStates[device] == null) {
            runtime.free(runtime.empty(DType.INT64, 1));
            DeviceModel gpu = runtime.device();
            long threads = (long) gpu.sms() * gpu.threadsPerSm();
            long generators = runtime.options().stubCudnn() ? threads : threads / 2;
            Tensor t = runtime.hold(runtime.workspace(GENERATOR_BYTES * generators));
            runtime.free(t);
            dropoutStates[device] = t;
        }
    }

    private static List<List<Tensor>> lists(int devices) {
        return IntStream.range(0, devices)
                .<List<Tensor>>mapToObj(d -> new ArrayList<>())
                .toList();
    }

    private void keep(List<List<Tensor>> kept, long bytes) {
        int device = runtime.devices().current();
        int handle = runtime.threads().handle(device);
        List<Tensor> byHandle = kept.get(device);
        while (byHandle.size() <= handle) {
            byHandle.add(null);
        }
        if (byHandle.get(handle) == null) {
            Tensor t = runtime.hold(runtime.workspace(bytes));
            runtime.free(t);
            byHandle.set(handle, t);
        }
    }

    /** Adds what is kept. */
    public void describe(Beginning to) {
        blas.forEach(to::parts);
        lt.forEach(to::parts);
        to.parts(Arrays.asList(dropoutStates));
        to.number(bounds);
        to.number(done.size());
        to.number(kept.size());
        kept.values().forEach(what -> what.describe(to));
    }

    /** Takes a workspace of cuDNN and gives it back, which runs without them leave out. */
    public void useCudnn(long bytes) {
        runtime.free(takeCudnn(bytes));
    }

    /** Takes a workspace of cuDNN, which the caller frees. */
    public Tensor takeCudnn(long bytes) {
        Tensor workspace = runtime.workspace(bytes);
        runtime.devices().memory().log().spare(workspace.storage().number());
        return workspace;
    }

    /** The running rule plays a bound: something that it does not know is left out, or as large as it can be. */
    public void noteBound() {
        bounds++;
    }

    /** How often rules played bounds so far. */
    public long bounds() {
        return bounds;
    }
}
