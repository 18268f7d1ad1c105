package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import dev.headroom.model.cudnn.WorkspaceLevel;
import dev.headroom.model.cudnn.WorkspaceSource;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.Scenario;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The sources of workspaces at hand, the surest first; remembers answers and who gave how many. */
public final class WorkspaceSources {
    /** The level of convolutions that nobody knows. */
    public static final String UNKNOWN = "unknown";

    private final List<WorkspaceSource> sources;
    private final CudnnDevice gpu;
    /** What a driver changes; {@code null} on a machine without. */
    private final @Nullable DriverPlans plans;

    private final Map<ConvolutionProblem, Optional<WorkspaceAnswer>> answers = new HashMap<>();

    /** Asks given sources, which know what cuDNN says on a machine without a driver. */
    public WorkspaceSources(List<WorkspaceSource> sources, CudnnDevice gpu) {
        this(sources, gpu, null);
    }

    private WorkspaceSources(List<WorkspaceSource> sources, CudnnDevice gpu, @Nullable DriverPlans plans) {
        // Written out: what Comparator.comparing makes, Java makes anew at each start.
        this.sources = sources.stream()
                .sorted((a, b) -> a.level().compareTo(b.level()))
                .toList();
        this.gpu = gpu;
        this.plans = plans;
    }

    /** All sources of this installation that take nothing of a GPU. */
    public static WorkspaceSources installed(CudnnDevice gpu) {
        return new WorkspaceSources(allowed(Scenario.Workspaces.AUTO), gpu);
    }

    /** The sources of this installation that a run with a version of cuDNN may ask. */
    public static WorkspaceSources installed(CudnnDevice gpu, CudnnWorkspace allowed, CudnnVersion version) {
        WorkspaceSources driverless = new WorkspaceSources(allowed(allowed.source()), gpu);
        return allowed.driver() ? driverless.withDriver(version) : driverless;
    }

    private static List<WorkspaceSource> allowed(Scenario.Workspaces allowed) {
        Set<WorkspaceLevel> levels =
                switch (allowed) {
                    case LIVE -> EnumSet.allOf(WorkspaceLevel.class);
                    case AUTO -> EnumSet.complementOf(EnumSet.of(WorkspaceLevel.LIVE));
                    case ASKED -> EnumSet.of(WorkspaceLevel.ASKED);
                    case DISTILLED -> EnumSet.complementOf(EnumSet.of(WorkspaceLevel.LIVE, WorkspaceLevel.ASKED));
                };
        return Installed.SOURCES.stream()
                .filter(source -> levels.contains(source.level()))
                .toList();
    }

    /** The same sources for a run where a driver is, with a version of cuDNN. */
    public WorkspaceSources withDriver(CudnnVersion version) {
        return new WorkspaceSources(sources, gpu, new DriverPlans(version));
    }

    /** Found once a process: to look for libraries takes time. */
    private static final class Installed {
        private static final List<WorkspaceSource> SOURCES =
                ServiceLoader.load(WorkspaceSource.class, WorkspaceSources.class.getClassLoader()).stream()
                        .map(ServiceLoader.Provider::get)
                        .toList();
    }

    /** The surest answer, or empty when nobody knows. */
    public Optional<WorkspaceAnswer> answer(ConvolutionProblem problem) {
        return answers.computeIfAbsent(
                problem,
                p -> sources.stream().flatMap(s -> answer(s, p).stream()).findFirst());
    }

    private Optional<WorkspaceAnswer> answer(WorkspaceSource source, ConvolutionProblem problem) {
        Optional<WorkspaceAnswer> answer = source.answer(problem, gpu);
        return plans == null
                ? answer
                : answer.map(a -> source.seesDriver() ? plans.split(problem, gpu, a) : plans.of(problem, gpu, a));
    }

    /** The same sources, whose first plans take the most that they may. */
    public WorkspaceSources atMost() {
        List<WorkspaceSource> most =
                sources.stream().<WorkspaceSource>map(Most::new).toList();
        return new WorkspaceSources(most, gpu, plans);
    }

    /** A source whose first plans take the most that they may. */
    private record Most(WorkspaceSource source) implements WorkspaceSource {
        @Override
        public WorkspaceLevel level() {
            return source.level();
        }

        @Override
        public String description() {
            return source.description();
        }

        @Override
        public boolean seesDriver() {
            return source.seesDriver();
        }

        @Override
        public Optional<WorkspaceAnswer> answer(ConvolutionProblem problem, CudnnDevice gpu) {
            return source.answer(problem, gpu)
                    .map(a -> new WorkspaceAnswer(
                            a.level(),
                            a.most(),
                            () -> Stream.concat(Stream.of(a.most()), a.all().get().stream())
                                    .toList(),
                            a.least(),
                            a.most()));
        }
    }

    /** What was asked for so far. */
    public AskedConvolutions asked() {
        Map<String, Integer> answered = new TreeMap<>();
        answers.values()
                .forEach(a -> answered.merge(a.map(x -> x.level().label()).orElse(UNKNOWN), 1, Integer::sum));
        Optional<WorkspaceSource> surest = Arrays.stream(WorkspaceLevel.values())
                .filter(level -> answered.containsKey(level.label()))
                .findFirst()
                .flatMap(this::source);
        return new AskedConvolutions(
                Set.copyOf(answers.keySet()),
                answered,
                surest,
                anyAnswer(a -> a.most() > 0),
                anyAnswer(a -> a.most() > a.first()));
    }

    private boolean anyAnswer(Predicate<WorkspaceAnswer> holds) {
        return answers.values().stream().flatMap(Optional::stream).anyMatch(holds);
    }

    /** The source of a level, if there is one. */
    public Optional<WorkspaceSource> source(WorkspaceLevel level) {
        return sources.stream().filter(s -> s.level() == level).findFirst();
    }
}
