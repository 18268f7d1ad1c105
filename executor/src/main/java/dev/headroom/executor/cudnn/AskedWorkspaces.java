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
import java.util.concurrent.ConcurrentHashMap;
import org.bytedeco.cuda.global.cudnn;
import org.jspecify.annotations.Nullable;

/**
 * Workspaces as an installed cuDNN of version 9.8 or newer tells them. Without one it knows nothing. Predictions on
 * several threads share it: one asks at a time, and what was answered lately is not asked again.
 */
public final class AskedWorkspaces implements WorkspaceSource {
    /** The first version that takes a device's properties in place of a handle. */
    private static final long FIRST_VERSION = 90_800;

    /** Answers that are kept until all are dropped: those of a few sizes of a model with hundreds of convolutions. */
    private static final int KEPT = 10_000;

    private record Question(ConvolutionProblem problem, CudnnDevice gpu) {}

    private final Map<CudnnDevice, Heuristics> byDevice = new HashMap<>();

    /** Who finds an answer here need not wait for another one. */
    private final Map<Question, Optional<WorkspaceAnswer>> answers = new ConcurrentHashMap<>();

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
    public Optional<WorkspaceAnswer> answer(ConvolutionProblem problem, CudnnDevice gpu) {
        Question question = new Question(problem, gpu);
        Optional<WorkspaceAnswer> known = answers.get(question);
        return known != null ? known : ask(question);
    }

    private synchronized Optional<WorkspaceAnswer> ask(Question question) {
        if (answers.size() >= KEPT) {
            answers.clear();
        }
        // Another may have asked meanwhile.
        return answers.computeIfAbsent(question, q -> asked(q.problem(), q.gpu()));
    }

    private Optional<WorkspaceAnswer> asked(ConvolutionProblem problem, CudnnDevice gpu) {
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
