package dev.headroom.estimator.parallel.unit;

import dev.headroom.estimator.runtime.AutogradEngine;
import dev.headroom.estimator.runtime.EagerRuntime;
import java.util.ArrayList;
import java.util.List;

/**
 * What the units of a model share in both kinds of fully sharded data parallelism: whether a pass reduces its
 * gradients, the order in which units ran forward, and one call at the end of the backward pass.
 *
 * @param <U> a unit
 */
public abstract class UnitOrder<U> {
    private final EagerRuntime runtime;
    private final AutogradEngine engine;
    private final List<U> order = new ArrayList<>();
    private boolean finishQueued;

    /** Whether the pass that runs reduces its gradients ({@code no_sync}, {@code set_requires_gradient_sync}). */
    private boolean reduces = true;

    /** Whether units are divided again when their backward pass is over ({@code set_reshard_after_backward}). */
    private boolean reshards = true;

    /** Whether a backward pass ends the step ({@code set_is_last_backward}). */
    private boolean last = true;

    protected UnitOrder(EagerRuntime runtime, AutogradEngine engine) {
        this.runtime = runtime;
        this.engine = engine;
    }

    /** What the run is played on. */
    public final EagerRuntime runtime() {
        return runtime;
    }

    /** Whether the pass that runs reduces its gradients. */
    public final boolean reduces() {
        return reduces;
    }

    /** A pass begins. */
    public final void setReduces(boolean value) {
        reduces = value;
    }

    /** Whether units are divided again when their backward pass is over. */
    public final boolean reshards() {
        return reshards;
    }

    /** Whether a backward pass ends the step. */
    public final boolean isLast() {
        return last;
    }

    /** A backward pass begins that is, or is not, the last of a step. */
    public final void setLastOfStep(boolean value) {
        reduces = value;
        reshards = value;
        last = value;
    }

    /**
     * A unit's forward pass is over.
     *
     * @return its place in the order
     */
    public final int passed(U unit) {
        order.add(unit);
        return order.size() - 1;
    }

    /** The unit at a place. */
    public final U passed(int place) {
        return order.get(place);
    }

    /** Calls once at the end of the backward pass that runs. */
    public final void queueFinish(Runnable finish) {
        if (!finishQueued) {
            finishQueued = true;
            engine.queueCallback(finish);
        }
    }

    /** The backward pass is over. */
    public void finish() {
        if (last) {
            order.clear();
        }
        finishQueued = false;
    }
}
