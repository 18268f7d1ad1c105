package dev.headroom.executor.autograd;

import dev.headroom.executor.tensor.GradientNode;
import dev.headroom.executor.tensor.Owner;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A step of the backward pass. It lives as long as a tensor or another node refers to it. */
public final class Node implements GradientNode {
    /** Nodes that collect gradients of leaves go before all others (accumulate_grad.h: sequence number UINT64_MAX). */
    static final long FIRST = Long.MAX_VALUE;

    /** What a result of the operator looks like, and so its gradient. */
    record Result(long[] sizes, DType dtype) {}

    final String name;
    final long sequence;
    final @Nullable Edge[] next;
    final Owner owner;
    final List<Result> results = new ArrayList<>(1);
    final List<SavedTensor> saved = new ArrayList<>(3);
    /** What it holds as long as it is there, and not only until it has run. */
    final List<Tensor> attached = new ArrayList<>(0);
    /** The leaf whose gradient is collected here, or {@code null}. */
    final @Nullable Tensor leaf;

    /** What it computes; none of a leaf's node, and none once it is let go. */
    @Nullable
    Backward backward;
    /** What a change in place of a view was recorded as; its base's node runs it, and lets it go afterwards. */
    @Nullable
    Node change;

    /** Run when the gradients of its results are there, before it runs itself. */
    final List<Runnable> before = new ArrayList<>(0);

    /** Whether its results are its inputs as they were. */
    boolean passes;

    int references;

    Node(String name, long sequence, @Nullable Edge[] next, Owner owner, @Nullable Tensor leaf) {
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

    /** What it computes, of a node that is there to run. */
    Backward function() {
        return Objects.requireNonNull(backward, name);
    }

    void releaseSaved() {
        saved.forEach(SavedTensor::release);
        saved.clear();
    }
}
