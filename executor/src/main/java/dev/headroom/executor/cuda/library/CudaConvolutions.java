package dev.headroom.executor.cuda.library;

import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.executor.cuda.driver.Cleanup;
import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.executor.cuda.driver.CudaTransfer;
import dev.headroom.executor.cuda.kernel.DirectConvolutions;
import dev.headroom.executor.cuda.kernel.KernelFiles;
import dev.headroom.executor.cuda.runtime.CudaContext;
import dev.headroom.executor.cudnn.ExecutionPlan;
import dev.headroom.executor.cudnn.Heuristics;
import dev.headroom.executor.cudnn.PlanTarget;
import dev.headroom.executor.kernel.ConvolutionCall;
import dev.headroom.executor.kernel.ConvolutionKernels;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.cudnn.ConvolutionProblem;
import java.util.HashMap;
import java.util.Map;
import org.bytedeco.cuda.cudnn.cudnnContext;
import org.jspecify.annotations.Nullable;

/**
 * Convolutions by cuDNN, with the plans that PyTorch takes (Conv_v8.cpp, run_single_conv): the first that gets its
 * workspace and runs. It is taken again for the same problem, until memory refuses its workspace; then all are tried
 * anew. Depthwise ones that PyTorch has kernels of its own for run by the project's.
 */
public final class CudaConvolutions implements ConvolutionKernels, AutoCloseable {
    private final CudaContext context;
    private final DirectConvolutions direct;
    private final Map<Key, ExecutionPlan> plans = new HashMap<>();
    private @Nullable Heuristics heuristics;

    /** Each of PyTorch's threads remembers plans of its own. */
    private record Key(boolean backwardThread, ConvolutionProblem problem) {}

    public CudaConvolutions(CudaContext context, KernelFiles kernels) {
        this.context = context;
        this.direct = new DirectConvolutions(kernels);
    }

    @Override
    public void convolveDirectly(ConvolutionCall call) {
        if (call.isEmpty()) {
            clear(call.result());
        } else {
            direct.convolve(call);
        }
    }

    @Override
    public void convolve(ConvolutionCall call, Scratch scratch) {
        if (call.isEmpty()) {
            clear(call.result());
            return;
        }
        Key key = new Key(call.caller().backwardThread(), ConvolutionProblems.of(call));
        ExecutionPlan known = plans.get(key);
        if (known != null) {
            try {
                run(known, call, scratch);
                return;
            } catch (OutOfMemoryException e) {
                // Another plan may do with less.
            }
        }
        search(key, call, scratch);
    }

    private void search(Key key, ConvolutionCall call, Scratch scratch) {
        Attempts attempts = new Attempts();
        boolean done = heuristics().offer(key.problem(), plan -> {
            if (!attempts.succeeds(() -> run(plan, call, scratch))) {
                return false;
            }
            ExecutionPlan before = plans.put(key, plan);
            if (before != null) {
                before.close();
            }
            return true;
        });
        if (!done) {
            throw attempts.failure(key.problem());
        }
    }

    /** Why plans did not run. */
    private static final class Attempts {
        private @Nullable RuntimeException last;
        private boolean memory;

        boolean succeeds(Runnable plan) {
            try {
                plan.run();
                return true;
            } catch (OutOfMemoryException e) {
                last = e;
                memory = true;
            } catch (CudaException e) {
                last = memory ? last : e;
            }
            return false;
        }

        /** Refused memory, if there was any: with more of it a plan would have run. */
        RuntimeException failure(ConvolutionProblem problem) {
            return last != null
                    ? last
                    : new CudaException("cuDNN has no engine that runs this convolution on this GPU: " + problem);
        }
    }

    private void run(ExecutionPlan plan, ConvolutionCall call, Scratch scratch) {
        cudnnContext handle = context.dnn();
        scratch.during(
                plan.workspace(),
                workspace -> plan.execute(
                        handle,
                        call.input().address(),
                        call.weight().address(),
                        call.output().address(),
                        workspace == null ? 0 : workspace.address()));
    }

    /** The handle loads the library. */
    private Heuristics heuristics() {
        if (heuristics == null) {
            heuristics = new Heuristics(PlanTarget.of(context.dnn()));
        }
        return heuristics;
    }

    /** A sum of nothing. */
    private static void clear(Tensor result) {
        if (result.elements() > 0) {
            CudaTransfer.fill(
                    result.address(), 0, result.elements() * result.dtype().bytes());
        }
    }

    @Override
    public void close() {
        Cleanup cleanup = new Cleanup();
        plans.values().forEach(plan -> cleanup.run(plan::close));
        plans.clear();
        cleanup.finish();
    }
}
