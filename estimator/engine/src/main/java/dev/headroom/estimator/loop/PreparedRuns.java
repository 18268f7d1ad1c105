package dev.headroom.estimator.loop;

import dev.headroom.estimator.program.Preparation;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.memo.GraphMemo;
import dev.headroom.model.memo.Recent;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.ParallelSettings;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Runs of one model, made ready as they are asked for: those of the ranks of a world are made ready once. */
public final class PreparedRuns {
    private static final int KEPT = 4;
    private static final GraphMemo<Recent<Scenario, PreparedRun>> LAST = new GraphMemo<>(graph -> new Recent<>(KEPT));

    private final Graph imported;
    private final Map<Scenario, PreparedRun> known = new ConcurrentHashMap<>();
    private final Map<Object, Object> common = new ConcurrentHashMap<>();

    /** @param imported as the importer gives it */
    public PreparedRuns(Graph imported) {
        this.imported = imported;
    }

    /**
     * What all ranks of a run have in common, made once.
     *
     * @param kind what it is
     * @param of the run; whichever rank
     */
    public <T> T common(Class<T> kind, Scenario of, Supplier<T> made) {
        Object any = common.computeIfAbsent(List.of(kind, of.with(ParallelSettings.RANK, null)), key -> made.get());
        return kind.cast(any);
    }

    /** As the importer gave it. */
    public Graph imported() {
        return imported;
    }

    /** @throws dev.headroom.model.error.UserInputException as {@link PreparedRun#of} */
    public PreparedRun of(Scenario scenario) {
        // Mostly there is no rank to leave out, and the very scenario is found the fastest.
        Scenario ofAny = scenario.parallel().rank() == null ? scenario : scenario.with(ParallelSettings.RANK, null);
        PreparedRun any = known.computeIfAbsent(ofAny, this::prepared);
        Scenario applied = any.scenario().withParallel(scenario.parallel());
        return new PreparedRun(any.graph(), applied, any.symbols(), any.plan());
    }

    private PreparedRun prepared(Scenario scenario) {
        Recent<Scenario, PreparedRun> last = LAST.of(imported);
        PreparedRun there = last.find(scenario);
        if (there == null) {
            there = Preparation.of(imported, scenario);
            last.put(scenario, there);
        }
        return there;
    }
}
