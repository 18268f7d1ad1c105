package dev.headroom.estimator.runtime;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One backward pass (torch/csrc/autograd/graph_task.h). */
final class GraphTask {
    /** 1 for a pass of its own, one more for each pass that it runs inside. */
    final int depth;

    /** Which nodes run; {@code null} for all. */
    final Selection selection;

    /** By node: how many of its gradients are still to come. */
    final Map<GradNode, int[]> dependencies;

    /** Gradients of nodes that wait for more. */
    final Map<GradNode, Tensor[]> notReady = new HashMap<>();

    /** What to call when all nodes are through. */
    final List<Runnable> callbacks = new ArrayList<>(0);

    /** Nodes in the queue or running. */
    int outstanding;

    GraphTask(int depth, Map<GradNode, int[]> dependencies, Selection selection) {
        this.selection = selection;
        this.depth = depth;
        this.dependencies = dependencies;
    }

    /** Calls what was queued, and what that queues in turn. */
    void callBack() {
        for (int i = 0; i < callbacks.size(); i++) {
            callbacks.get(i).run();
        }
    }
}
