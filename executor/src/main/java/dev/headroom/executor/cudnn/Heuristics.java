package dev.headroom.executor.cudnn;

import static org.bytedeco.cuda.global.cudnn.*;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import dev.headroom.model.cudnn.WorkspaceLevel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.bytedeco.cuda.cudnn.cudnnBackendDescriptor_t;
import org.jspecify.annotations.Nullable;

/**
 * cuDNN's plans for a convolution in the order in which PyTorch tries them (Conv_v8.cpp, run_single_conv): what
 * heuristic mode INSTANT names, then what mode FALLBACK names, without the engines that PyTorch filters out.
 */
public final class Heuristics {
    private static final int[] MODES = {CUDNN_HEUR_MODE_INSTANT, CUDNN_HEUR_MODE_FALLBACK};

    /**
     * How many of a mode's engines are asked for at a time where only a workspace is wanted: mostly the first is taken,
     * and the more cuDNN is to name, the longer it takes.
     */
    private static final int[] GROWING = {1, 4, Integer.MAX_VALUE};

    private static final int[] ALL = {Integer.MAX_VALUE};

    private final PlanTarget target;

    public Heuristics(PlanTarget target) {
        this.target = target;
    }

    /**
     * Offers one plan after the other until one is taken. Who takes a plan closes it; the others are closed here. An
     * engine for which no plan can be made is passed over.
     *
     * @return whether one was taken
     * @throws dev.headroom.executor.cuda.driver.CudaException when cuDNN does not know the problem or the GPU
     */
    public boolean offer(ConvolutionProblem problem, Predicate<ExecutionPlan> takes) {
        return offer(problem, ALL, takes);
    }

    private boolean offer(ConvolutionProblem problem, int[] counts, Predicate<ExecutionPlan> takes) {
        for (int mode : MODES) {
            int offered = 0;
            for (int i = 0; i < counts.length && (i == 0 || offered == counts[i - 1]); i++) {
                try (Descriptors d = new Descriptors()) {
                    List<cudnnBackendDescriptor_t> named = configurations(d, problem, mode, counts[i]);
                    for (; offered < named.size(); offered++) {
                        if (offer(d, named.get(offered), problem.deterministic(), takes)) {
                            return true;
                        }
                    }
                }
            }
        }
        return false;
    }

    private boolean offer(
            Descriptors d,
            cudnnBackendDescriptor_t configuration,
            boolean deterministic,
            Predicate<ExecutionPlan> takes) {
        cudnnBackendDescriptor_t engine = engine(d, configuration);
        ExecutionPlan plan = isFiltered(d, engine, deterministic) ? null : plan(d, configuration, engine);
        return plan != null && takes(plan, takes);
    }

    /**
     * The workspace of the first plan; the others are asked for when somebody wants to know.
     *
     * @param one is locked while cuDNN is asked later
     * @return empty when cuDNN has no plan
     */
    Optional<WorkspaceAnswer> workspace(WorkspaceLevel level, ConvolutionProblem problem, Object one) {
        List<Long> first = workspaces(problem, 1);
        return first.isEmpty()
                ? Optional.empty()
                : Optional.of(WorkspaceAnswer.exact(level, first.get(0), new Others(problem, one)));
    }

    /** All plans, asked for once. */
    private final class Others implements Supplier<List<Long>> {
        private final ConvolutionProblem problem;
        private final Object one;
        private @Nullable List<Long> all;

        Others(ConvolutionProblem problem, Object one) {
            this.problem = problem;
            this.one = one;
        }

        @Override
        public List<Long> get() {
            synchronized (one) {
                if (all == null) {
                    all = List.copyOf(workspaces(problem, Integer.MAX_VALUE));
                }
                return all;
            }
        }
    }

    /** Of the plans that PyTorch tries, in its order. */
    private List<Long> workspaces(ConvolutionProblem problem, int most) {
        List<Long> out = new ArrayList<>();
        offer(problem, most == 1 ? GROWING : ALL, plan -> {
            out.add(plan.workspace());
            boolean enough = out.size() == most;
            if (enough) {
                plan.close();
            }
            return enough;
        });
        return out;
    }

    private static boolean takes(ExecutionPlan plan, Predicate<ExecutionPlan> takes) {
        boolean taken = false;
        try {
            taken = takes.test(plan);
            return taken;
        } finally {
            if (!taken) {
                plan.close();
            }
        }
    }

    private List<cudnnBackendDescriptor_t> configurations(
            Descriptors d, ConvolutionProblem problem, int mode, int most) {
        cudnnBackendDescriptor_t graph = OperationGraph.of(d, problem, target);
        cudnnBackendDescriptor_t heuristics = d.create(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
        d.setDescriptor(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
        d.setEnum(heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
        target.tellHeuristics(d, heuristics);
        d.finish(heuristics);
        return d.getDescriptors(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, most);
    }

    private static cudnnBackendDescriptor_t engine(Descriptors d, cudnnBackendDescriptor_t configuration) {
        return d.getDescriptors(configuration, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1)
                .get(0);
    }

    /** filterEngineConfigs; TF32 is allowed, which is PyTorch's default for convolutions. */
    private static boolean isFiltered(Descriptors d, cudnnBackendDescriptor_t engine, boolean deterministic) {
        int[] notes = d.getEnums(
                engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
        for (int note : notes) {
            if (note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS
                    || deterministic && note == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC) {
                return true;
            }
        }
        return false;
    }

    private @Nullable ExecutionPlan plan(
            Descriptors d, cudnnBackendDescriptor_t configuration, cudnnBackendDescriptor_t engine) {
        cudnnBackendDescriptor_t plan = d.create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
        target.tellPlan(d, plan);
        d.setDescriptor(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
        if (!d.finishes(plan)) {
            return null;
        }
        long number = d.getLong(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
        long workspace = d.getLong(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
        Descriptors kept = new Descriptors();
        d.handOver(configuration, kept);
        d.handOver(plan, kept);
        return new ExecutionPlan(kept, plan, number, workspace);
    }
}
