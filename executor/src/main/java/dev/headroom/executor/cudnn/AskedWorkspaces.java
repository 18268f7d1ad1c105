package dev.headroom.executor.cudnn;

import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.executor.cuda.driver.CudaLibraries;
import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import dev.headroom.model.cudnn.WorkspaceLevel;
import dev.headroom.model.cudnn.WorkspaceSource;
import java.util.HashMap;
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
        return version();
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
            return heuristics.workspace(level(), problem, this);
        } catch (CudaException e) {
            return Optional.empty(); // a GPU or a type that this cuDNN does not know
        }
    }

    /** Of the cuDNN that is loaded. */
    static String version() {
        long version = cudnn.cudnnGetVersion();
        return "cuDNN " + version / 10_000 + "." + version / 100 % 100 + "." + version % 100;
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
