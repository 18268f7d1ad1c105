package dev.headroom.estimator.parallel.mp;

import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.op.core.DeviceCopies;
import dev.headroom.estimator.program.GraphRunner;
import dev.headroom.estimator.program.NodeRuns;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.parts.Division;
import dev.headroom.model.parts.Part;
import dev.headroom.model.run.PreparedRun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Runs the parts of a model, each on its device, for batches of one size. */
final class Parts {
    private final EagerRuntime runtime;
    private final TrainingLoop loop;
    private final Division division;
    private final List<GraphRunner> runners = new ArrayList<>();

    Parts(TrainingLoop loop, PreparedRun run, Division division) {
        this.loop = loop;
        this.runtime = loop.runtime();
        this.division = division;
        for (Part part : division.parts()) {
            runners.add(loop.runner(run, part.plan()));
        }
    }

    int count() {
        return runners.size();
    }

    Part part(int k) {
        return division.parts().get(k);
    }

    /**
     * Runs a part.
     *
     * @param given its inputs by name, on its device; borrowed
     * @return its outputs by name, with a reference each for the caller
     */
    Map<String, Tensor> run(int k, Map<String, Tensor> given) {
        int before = runtime.devices().use(k);
        Map<String, Tensor> values = new HashMap<>(loop.model().byValue());
        values.putAll(given);
        Tensor[] made = runners.get(k).run(values);
        runtime.devices().use(before);
        Map<String, Tensor> out = new HashMap<>();
        for (int i = 0; i < made.length; i++) {
            out.put(part(k).outputs().get(i), made[i]);
        }
        return out;
    }

    /** What a part is given, copied to its device: references for the caller, also to what is there already. */
    Map<String, Tensor> copies(int k, Map<String, Tensor> values) {
        Map<String, Tensor> out = new HashMap<>();
        for (String name : part(k).inputs()) {
            out.put(name, runtime.hold(DeviceCopies.to(runtime, Objects.requireNonNull(values.get(name), name), k)));
        }
        return out;
    }

    /** How the nodes of the whole graph ran. */
    NodeRuns runs() {
        int[] executions = new int[division.nodes()];
        int without = 0;
        for (int k = 0; k < runners.size(); k++) {
            NodeRuns own = runners.get(k).runs();
            System.arraycopy(own.executions(), 0, executions, part(k).from(), own.executions().length);
            without += own.checkpointsWithoutGradients();
        }
        return new NodeRuns(executions, new int[division.nodes()][], Map.of(), without);
    }
}
