package dev.headroom.executor.cudnn;

import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.executor.cuda.driver.CudaLibraries;
import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import dev.headroom.model.cudnn.WorkspaceLevel;
import dev.headroom.model.cudnn.WorkspaceSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bytedeco.cuda.global.cudnn;
import org.jspecify.annotations.Nullable;

/**
 * Workspaces as an installed cuDNN of version 9.8 or newer tells them. Without one it knows nothing. Predictions on
 * several threads share it: one asks at a time.
 */
public final class AskedWorkspaces implements WorkspaceSource {
    /** The first version that takes a device's properties in place of a handle. */
    private static final long FIRST_VERSION = 90_800;

    private final Map<CudnnDevice, Heuristics> byDevice = new HashMap<>();
    private @Nullable Boolean usable;
    private @Nullable Boolean driver;

    @Override
    public WorkspaceLevel level() {
        return WorkspaceLevel.ASKED;
    }

    @Override
    public synchronized String description() {
        if (!isUsable()) {
            return "no cuDNN";
        }
        long version = cudnn.cudnnGetVersion();
        return "cuDNN " + version / 10_000 + "." + version / 100 % 100 + "." + version % 100;
    }

    @Override
    public synchronized boolean seesDriver() {
        if (driver == null) {
            driver = CudaLibraries.hasDriver();
        }
        return driver;
    }

    @Override
    public synchronized Optional<WorkspaceAnswer> answer(ConvolutionProblem problem, CudnnDevice gpu) {
        if (!isUsable()) {
            return Optional.empty();
        }
        try {
            Heuristics heuristics = byDevice.computeIfAbsent(gpu, g -> new Heuristics(PlanTarget.of(g)));
            List<Long> first = workspaces(heuristics, problem, 1);
            return first.isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                            WorkspaceAnswer.exact(WorkspaceLevel.ASKED, first.get(0), () -> all(heuristics, problem)));
        } catch (CudaException e) {
            return Optional.empty(); // a GPU or a type that this cuDNN does not know
        }
    }

    private synchronized List<Long> all(Heuristics heuristics, ConvolutionProblem problem) {
        return workspaces(heuristics, problem, Integer.MAX_VALUE);
    }

    /** Of the plans that PyTorch tries, in its order. */
    private static List<Long> workspaces(Heuristics heuristics, ConvolutionProblem problem, int most) {
        List<Long> out = new ArrayList<>();
        heuristics.offer(problem, plan -> {
            out.add(plan.workspace());
            boolean enough = out.size() == most;
            if (enough) {
                plan.close();
            }
            return enough;
        });
        return out;
    }

    private boolean isUsable() {
        if (usable == null) {
            usable = load();
        }
        return usable;
    }

    private static boolean load() {
        try {
            CudaLibraries.loadDnnHeuristics();
            return cudnn.cudnnGetVersion() >= FIRST_VERSION;
        } catch (CudaException e) {
            return false;
        }
    }
}
