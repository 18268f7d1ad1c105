package dev.headroom.executor.autograd;

import dev.headroom.executor.tensor.GradientNode;
import dev.headroom.executor.tensor.Owner;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;

/** A step of the backward pass. It lives as long as a tensor or another node refers to it. */
public final class Node implements GradientNode {
    /** Nodes that collect gradients of leaves go before all others (accumulate_grad.h: sequence number UINT64_MAX). */
    static final long FIRST = Long.MAX_VALUE;

    /** What a result of the operator looks like, and so its gradient. */
    record Result(long[] sizes, DType dtype) {}

    final String name;
    final long sequence;
    final Edge[] next;
    final Owner owner;
    final List<Result> results = new ArrayList<>(1);
    final List<SavedTensor> saved = new ArrayList<>(3);
    /** What it holds as long as it is there, and not only until it has run. */
    final List<Tensor> attached = new ArrayList<>(0);
    /** The leaf whose gradient is collected here, or {@code null}. */
    final Tensor leaf;

    Backward backward;
    /** What a change in place of a view was recorded as; its base's node runs it, and lets it go afterwards. */
    Node change;

    /** Run when the gradients of its results are there, before it runs itself. */
    final List<Runnable> before = new ArrayList<>(0);

    /** Whether its results are its inputs as they were. */
    boolean passes;

    int references;

    Node(String name, long sequence, Edge[] next, Owner owner, Tensor leaf) {
        this.name = name;
        this.sequence = sequence;
        this.next = next;
        this.owner = owner;
        this.leaf = leaf;
    }

    @Override
    public String name() {
        return name;
    }

    void releaseSaved() {
        saved.forEach(SavedTensor::release);
        saved.clear();
    }
}
