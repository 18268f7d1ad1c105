package dev.headroom.estimator.parallel.pipeline;

import dev.headroom.estimator.program.ForwardPass;
import dev.headroom.estimator.program.NodeRuns;
import dev.headroom.estimator.runtime.Tensor;
import java.util.List;
import java.util.Map;

/**
 * How the nodes of the stages of a rank ran. Nobody calls the model as a whole.
 *
 * @param nodes of the whole graph
 */
record StagePasses(List<Stage> stages, int nodes) implements ForwardPass {
    @Override
    public Tensor[] run(Map<String, Tensor> inputs) {
        throw new IllegalStateException("a pipeline's schedule calls stages, not the model");
    }

    @Override
    public NodeRuns runs() {
        int[] executions = new int[nodes];
        stages.forEach(s -> s.addExecutions(executions));
        return new NodeRuns(executions, new int[nodes][], Map.of(), 0);
    }
}
