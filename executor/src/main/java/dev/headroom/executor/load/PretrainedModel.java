package dev.headroom.executor.load;

import dev.headroom.executor.program.ModelMemory;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Owner;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.quant.Load;
import dev.headroom.model.quant.QuantKind;
import dev.headroom.model.quant.pass.Loads;
import dev.headroom.model.quant.pass.Preparing;
import dev.headroom.model.quant.pass.QuantisedWeight;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A model as {@code from_pretrained} brings it to the device, and as {@code prepare_model_for_kbit_training} leaves it
 * (transformers/modeling_utils.py, core_model_loading.py; peft/utils/other.py).
 */
public final class PretrainedModel {
    private static final double LEFT_FREE = 1.2 * 1024 * 1024 * 1024;

    private final Eager eager;
    private final ModelMemory model;
    private final Scenario run;
    private final Map<String, QuantisedWeight> quantised;

    /** Runs work as a phase of its own. */
    @FunctionalInterface
    public interface Phases {
        void run(Phase phase, Runnable work);
    }

    /** Brings a run's model to the device: as the script has it, or as a library loads it in earlier phases. */
    public static ModelMemory bring(Eager eager, Graph graph, Scenario run, Phases phases) {
        Load how = Loads.how(graph, run);
        if (how == null) {
            return new ModelMemory(eager, graph, run);
        }
        ModelMemory model = ModelMemory.empty(eager, graph, run);
        try {
            PretrainedModel loaded = new PretrainedModel(eager, model, run);
            phases.run(Phase.LOAD, () -> loaded.load(how));
            if (Preparing.casts(run)) {
                phases.run(Phase.PREPARE, loaded::prepare);
            }
            model.add();
            model.complete();
            return model;
        } catch (RuntimeException e) {
            model.close();
            throw e;
        }
    }

    private PretrainedModel(Eager eager, ModelMemory model, Scenario run) {
        this.eager = eager;
        this.model = model;
        this.run = run;
        this.quantised = QuantisedWeight.of(model.graph());
    }

    /** Brings all that the checkpoint holds. */
    private void load(Load how) {
        if (how == Load.TO) {
            model.move();
            return;
        }
        List<String> keys = new ArrayList<>();
        model.state().tensors().forEach((name, held) -> {
            if (isInCheckpoint(name, held)) {
                keys.add(name);
            }
        });
        makeRoom(keys);
        keys.sort(new CheckpointOrder());
        WeightPacker packer = new WeightPacker(eager, model, run.quant());
        for (String key : keys) {
            eager.own(new Owner(key, "load"));
            if (quantised.containsKey(key)) {
                packer.load(key, quantised.get(key));
            } else {
                model.make(key, loaded(held(key)));
            }
        }
        model.state().tensors().forEach((name, held) -> {
            if (!held.added() && model.named(name) == null) {
                model.make(name, loaded(held));
            }
        });
    }

    private HeldTensor held(String name) {
        return Objects.requireNonNull(model.state().tensors().get(name), name);
    }

    private static boolean isInCheckpoint(String name, HeldTensor held) {
        return held.persistent()
                && !held.added()
                && held.storage().equals(name)
                && held.kind() != Graph.InputKind.CONSTANT;
    }

    /** Buffers that no checkpoint holds are not converted. */
    private DType loaded(HeldTensor held) {
        boolean made = held.kind() == Graph.InputKind.BUFFER && !held.persistent();
        return made ? held.type(null) : held.loadType() != null ? held.loadType() : model.type(held);
    }

    /** caching_allocator_warmup. */
    private void makeRoom(List<String> keys) {
        double bytes = 0;
        for (String key : keys) {
            QuantisedWeight weight = quantised.get(key);
            HeldTensor held = held(key);
            bytes += weight == null
                    ? (double) elements(held) * loaded(held).bytes()
                    : weight.elements() * (run.quant().kind() == QuantKind.INT8 ? 1 : 0.5);
        }
        Long total = run.device().total();
        double most = total == null ? bytes : total - LEFT_FREE;
        eager.own(new Owner("", "warm-up"));
        try (Scope s = eager.open()) {
            eager.empty(DType.FLOAT16, (long) (Math.min(bytes, most) / 2));
        }
    }

    private static long elements(HeldTensor held) {
        return Layout.elements(held.meta().sizes().stream()
                .mapToLong((SymExpr s) -> s.evaluate(Map.of()))
                .toArray());
    }

    /** Half precision becomes float32, parameter after parameter. */
    private void prepare() {
        model.state().tensors().forEach((name, held) -> {
            Tensor before = held.storage().equals(name) && !held.added() ? model.named(name) : null;
            DType type = held.ownType();
            if (before == null || held.loadType() == null || type == null || type == before.dtype()) {
                return;
            }
            eager.own(new Owner(name, "prepare"));
            eager.hold(before);
            model.make(name, type);
            eager.backend().elementwise().copy(Objects.requireNonNull(model.named(name), name), before);
            eager.release(before);
        });
        eager.allocator().emptyCache();
    }
}
