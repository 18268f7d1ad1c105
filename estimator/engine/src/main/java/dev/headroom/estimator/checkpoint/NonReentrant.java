package dev.headroom.estimator.checkpoint;

import dev.headroom.estimator.runtime.AutocastMode;
import dev.headroom.estimator.runtime.AutogradEngine;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.SavedTensorHooks;
import dev.headroom.estimator.runtime.StopRecomputation;
import dev.headroom.estimator.runtime.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * {@code checkpoint(…, use_reentrant=False)} (torch/utils/checkpoint.py, _checkpoint_without_reentrant_generator):
 * the forward pass keeps its graph, but instead of each saved tensor a placeholder. The first node that asks for one
 * runs the body again, until as many tensors were saved as the first time; they wait in their placeholders for their
 * nodes. The inputs live until the last placeholder is gone. Each backward pass runs the body anew, and what waits for
 * nodes that it does not come to waits on: a pass that keeps the graph ({@code retain_graph=True}) leaves tensors
 * beside those of the next.
 */
final class NonReentrant {
    private final EagerRuntime runtime;
    private final @Nullable AutogradEngine engine;
    private final Body body;
    private final Tensor[] inputs;
    private final Tensor[] held;
    private final List<Holder> holders = new ArrayList<>();
    private int refs = 1;
    private final AutocastMode.State autocast;

    /** By backward pass that ran the body: what waits for nodes, by placeholder. */
    private final Map<Object, Tensor[]> recomputed = new LinkedHashMap<>(2);

    private int counted;

    /** What stands for the first input, or {@code null} where it stays on the device. */
    private final @Nullable Offloaded first;

    private NonReentrant(
            EagerRuntime runtime,
            @Nullable AutogradEngine engine,
            Body body,
            Tensor[] inputs,
            Tensor[] held,
            boolean offload) {
        this.runtime = runtime;
        this.engine = engine;
        this.body = body;
        this.first = offload && inputs.length > 0 ? Offloaded.of(inputs[0]) : null;
        this.inputs = first == null ? inputs.clone() : Arrays.copyOfRange(inputs, 1, inputs.length);
        this.held = held.clone();
        this.autocast = runtime.autocast().state();
        for (Tensor t : this.inputs) {
            runtime.hold(t);
        }
        for (Tensor t : held) {
            runtime.hold(t);
        }
    }

    /** @param held what the body reads of its module, which is kept with it */
    static Tensor[] run(
            EagerRuntime runtime,
            @Nullable AutogradEngine engine,
            Body body,
            Tensor[] inputs,
            Tensor[] held,
            boolean offload) {
        NonReentrant frame = new NonReentrant(runtime, engine, body, inputs, held, offload);
        SavedTensorHooks before = runtime.tape().setHooks(frame::pack);
        try {
            return body.run(inputs);
        } finally {
            runtime.tape().setHooks(before);
            frame.release();
        }
    }

    private SavedTensorHooks.Packed pack(Tensor t) {
        Holder holder = new Holder(holders.size());
        holders.add(holder);
        refs++;
        return holder;
    }

    /** The pack hook of a recomputation: the recomputed graph keeps the tensor for as long as it lives, too. */
    private SavedTensorHooks.Packed repack(Tensor t, Tensor[] waiting) {
        Holder holder = holders.get(counted++);
        if (holder.alive) {
            waiting[holder.number] = runtime.tape().saveDetached(t);
        }
        if (counted == holders.size()) {
            throw StopRecomputation.INSTANCE;
        }
        return new Kept(runtime, runtime.tape().saveDetached(t));
    }

    private void recompute(Tensor[] waiting) {
        counted = 0;
        SavedTensorHooks before = runtime.tape().setHooks(t -> repack(t, waiting));
        boolean mode = runtime.setGradMode(true);
        int attribution = runtime.attribution();
        AutocastMode.State outside = runtime.autocast().enter(autocast);
        Frame locals = runtime.frame();
        try {
            body.run(given());
        } catch (StopRecomputation e) {
            // All is there that will be asked for.
        } finally {
            runtime.autocast().exit(outside);
            locals.close();
            runtime.attribute(attribution);
            runtime.setGradMode(mode);
            runtime.tape().setHooks(before);
        }
    }

    private Tensor[] given() {
        if (first == null) {
            return inputs;
        }
        Tensor[] all = new Tensor[inputs.length + 1];
        all[0] = first.back(runtime);
        System.arraycopy(inputs, 0, all, 1, inputs.length);
        return all;
    }

    private void release() {
        if (--refs == 0) {
            for (Tensor t : inputs) {
                runtime.release(t);
            }
            for (Tensor t : held) {
                runtime.release(t);
            }
        }
    }

    /** Stands for a saved tensor. */
    private final class Holder implements SavedTensorHooks.Packed {
        private final int number;
        private boolean alive = true;

        private Holder(int number) {
            this.number = number;
        }

        @Override
        public @Nullable Tensor unpack() {
            Object pass = Objects.requireNonNull(engine, "a backward pass").pass();
            Tensor[] waiting = recomputed.get(pass);
            if (waiting == null) {
                waiting = new Tensor[holders.size()];
                recomputed.put(pass, waiting);
                recompute(waiting);
            }
            Tensor t = waiting[number];
            waiting[number] = null;
            return t;
        }

        @Override
        public void release() {
            alive = false;
            for (Tensor[] waiting : recomputed.values()) {
                if (waiting[number] != null) {
                    runtime.tape().releaseSaved(waiting[number]);
                    waiting[number] = null;
                }
            }
            NonReentrant.this.release();
        }
    }

    /** A tensor that the recomputed graph keeps. */
    private record Kept(EagerRuntime runtime, Tensor tensor) implements SavedTensorHooks.Packed {
        @Override
        public Tensor unpack() {
            throw new IllegalStateException("a recomputed graph has no backward pass");
        }

        @Override
        public void release() {
            runtime.tape().releaseSaved(tensor);
        }
    }
}
