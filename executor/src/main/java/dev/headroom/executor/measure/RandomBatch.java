package dev.headroom.executor.measure;

import dev.headroom.executor.program.Program;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.executor.train.Batch;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Scenario;

/**
 * Random data of the right kind: numbers between -1 and 1, indices that every table they are looked up in has, classes
 * that the model tells apart. Memory does not depend on them,
 * but for lengths, which are as long as they can be.
 */
final class RandomBatch implements Batch {
    /** Truth values, and integers that are no indices, are zeros and ones. */
    private static final long TWO = 2;

    private final Eager eager;
    private final IndexBounds bounds;

    RandomBatch(Graph graph, Scenario run, Eager eager) {
        this.eager = eager;
        this.bounds = IndexBounds.of(Program.inlined(graph), PreparedRun.symbols(graph, run));
    }

    @Override
    public void fill(String name, Tensor t) {
        if (t.dtype().isFloatingPoint()) {
            uniform(t, -1, 1);
        } else {
            boolean mask = name.contains("mask"); // nothing is masked
            uniform(t, mask ? 1 : (double) bounds.from(name), mask ? (double) TWO : (double) bounds.below(name, TWO));
        }
    }

    @Override
    public void fillLabels(Tensor t, long classes) {
        uniform(t, 0, (double) classes);
    }

    private void uniform(Tensor t, double from, double to) {
        eager.backend().random().uniform(t, from, to, eager.randomness().next());
    }
}
