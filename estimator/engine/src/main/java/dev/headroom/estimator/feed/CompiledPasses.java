package dev.headroom.estimator.feed;

import dev.headroom.estimator.loop.Batch;
import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.program.Preparation;
import dev.headroom.model.compiled.PlanPasses;
import dev.headroom.model.feed.DataKind;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Has each pass call the graphs that a plan has for it, with a batch of their size. */
public final class CompiledPasses implements LoopHook {
    private final PlanPasses passes;
    private final Scenario run;
    private final Map<Graph, PreparedRun> known = new HashMap<>();
    private TrainingLoop loop;

    private CompiledPasses(PlanPasses passes, Scenario run) {
        this.passes = passes;
        this.run = run;
    }

    /** Nothing for a model whose passes are all alike. */
    public static List<LoopHook> of(Graph imported, Scenario run) {
        return imported.loop() instanceof PlanPasses plan ? List.of(new CompiledPasses(plan, run)) : List.of();
    }

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
    }

    @Override
    public void between(Moment next) {
        boolean begins = next.phase() == (run.loop().inference() ? Phase.FORWARD : Phase.ZERO_GRAD)
                || next.phase() == Phase.FORWARD && micro(next) > 0;
        int pass = begins ? next.stepNumber() * run.loop().accumulate() + micro(next) : 0;
        int each = run.loop().accumulate();
        if (pass > 0 && !passes.of(pass, each).equals(passes.of(pass - 1, each))) {
            bring(sizes(passes.of(pass, each)));
        }
    }

    private static int micro(Moment next) {
        Integer micro = next.micro();
        return micro == null ? 0 : micro;
    }

    private PreparedRun sizes(Graph pass) {
        // The batch that was asked for is the first pass's.
        Scenario own = run.with(ScenarioSettings.BATCH, null);
        return known.computeIfAbsent(pass, graph -> Preparation.of(graph, own));
    }

    private void bring(PreparedRun sizes) {
        Batch before = loop.batch();
        if (run.feeding().data() == DataKind.UNPACKED) {
            before.drop();
        }
        Batch batch = loop.makeBatch(sizes);
        loop.load(batch);
        loop.use(batch);
        before.drop();
    }
}
