package dev.headroom.estimator.op.convolution;

import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.estimator.cudnn.OlderPlans;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import dev.headroom.model.cudnn.WorkspaceLevel;
import java.util.List;
import java.util.Objects;

/**
 * The plan of a cuDNN convolution and its workspace (ATen/native/cudnn/Conv_v8.cpp, run_single_conv and try_configs).
 * Plans come in the order of cuDNN's heuristics: the first is tried alone, then all of them, until one gets its
 * workspace; it is taken again for the same problem, until memory refuses it. With {@code
 * torch.backends.cudnn.benchmark} all plans for a problem are tried at its first occurrence, in one buffer, and all
 * cached memory is given back after that.
 */
final class ConvolutionPlans {
    private static final WorkspaceAnswer NONE = WorkspaceAnswer.fixed(WorkspaceLevel.BOUNDED, 0);

    private ConvolutionPlans() {}

    /** Takes the workspace that the convolution runs with, and gives it back. */
    static void run(
            EagerRuntime rt,
            ConvolutionProblem.Direction direction,
            boolean channelsLast,
            Tensor x,
            Tensor w,
            Tensor y,
            Convolution.Parameters p) {
        Long fixed = rt.options().cudnnWorkspace();
        if (fixed != null && fixed == 0 && !rt.options().cudnnBenchmark()) {
            return; // whatever the problem is
        }
        ConvolutionProblem problem = new ConvolutionProblem(
                direction,
                x.dtype(),
                channelsLast,
                list(x.sizes()),
                list(w.sizes()),
                list(y.sizes()),
                list(p.stride()),
                list(p.padding()),
                list(p.dilation()),
                List.of(alignment(x), alignment(w), alignment(y)),
                rt.options().deterministic());
        Long known = rt.threads().current().plans().find(problem);
        if (known != null && take(rt, known)) {
            return;
        }
        boolean searched = rt.options().cudnnBenchmark();
        WorkspaceAnswer answer = fixed != null
                ? WorkspaceAnswer.fixed(WorkspaceLevel.ASKED, fixed)
                : OlderPlans.of(
                        problem,
                        Objects.requireNonNull(rt.options().convolutions(), "sources of workspaces")
                                .answer(problem)
                                .orElse(NONE),
                        rt.options().cudnn(),
                        searched);
        if (searched) {
            benchmark(rt, answer.all().get());
        }
        long chosen = take(rt, answer.first())
                ? answer.first()
                : firstThatFits(rt, answer.all().get());
        rt.threads().current().plans().remember(problem, chosen);
    }

    /** All plans from the first on. */
    private static long firstThatFits(EagerRuntime rt, List<Long> plans) {
        OutOfMemoryException last = null;
        for (long bytes : plans) {
            try {
                rt.workspaces().useCudnn(bytes);
                return bytes;
            } catch (OutOfMemoryException e) {
                last = e;
            }
        }
        throw last;
    }

    private static boolean take(EagerRuntime rt, long bytes) {
        if (bytes == 0) {
            return true;
        }
        try {
            rt.workspaces().useCudnn(bytes);
            return true;
        } catch (OutOfMemoryException e) {
            return false;
        }
    }

    /** One buffer for the largest, half as large for as long as memory refuses it. */
    private static void benchmark(EagerRuntime rt, List<Long> plans) {
        long bytes = plans.stream().mapToLong(b -> b).max().orElse(0);
        while (bytes > 0 && !take(rt, bytes)) {
            bytes /= 2;
        }
        rt.allocator().emptyCache();
    }

    private static List<Long> list(long[] values) {
        Long[] list = new Long[values.length];
        for (int i = 0; i < list.length; i++) {
            list[i] = values[i];
        }
        return List.of(list);
    }

    private static long alignment(Tensor t) {
        long offset = t.offset() * t.dtype().bytes();
        return offset == 0
                ? ConvolutionProblem.LARGEST_ALIGNMENT
                : Math.min(Long.lowestOneBit(offset), ConvolutionProblem.LARGEST_ALIGNMENT);
    }
}
