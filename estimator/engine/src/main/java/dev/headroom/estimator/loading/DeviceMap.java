package dev.headroom.estimator.loading;

import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.program.ModelAssembly;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.quant.QuantKind;
import dev.headroom.model.quant.pass.KeptWhole;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code from_pretrained(…, device_map=…)}: one allocation of the whole model's size makes room, then the checkpoint's
 * tensors come one by one, then buffers that no checkpoint has (transformers/modeling_utils.py,
 * caching_allocator_warmup and _move_missing_keys_from_meta_to_device; core_model_loading.py,
 * convert_and_load_state_dict_in_model).
 */
final class DeviceMap {
    /** What is left of a GPU by {@code caching_allocator_warmup}. */
    private static final double SPARED = 1.2 * (1L << 30);

    private final EagerRuntime runtime;
    private final ModelAssembly model;
    private final Scenario run;
    private final Quantiser quantiser;

    DeviceMap(EagerRuntime runtime, ModelAssembly model, Scenario run) {
        this.runtime = runtime;
        this.model = model;
        this.run = run;
        this.quantiser = new Quantiser(runtime, model, run);
    }

    /**
     * Loads the model.
     *
     * @return what a library that quantises keeps beside the weights; {@code null} for nothing
     */
    @Nullable
    Tensor load() {
        warmUp();
        List<String> checkpoint = NaturalOrder.sorted(model.state().tensors().entrySet().stream()
                .filter(e -> inCheckpoint(e.getKey(), e.getValue()))
                .map(Map.Entry::getKey));
        for (String name : checkpoint) {
            if (quantiser.quantises(name)) {
                quantiser.load(name);
            } else {
                model.put(name, model.load(name));
            }
        }
        model.state().tensors().forEach((name, held) -> {
            if (!held.added() && model.named(name) == null) {
                model.put(name, model.load(name));
            }
        });
        return quantiser.codes();
    }

    private static boolean inCheckpoint(String name, HeldTensor held) {
        return !held.added()
                && held.persistent()
                && held.kind() != Graph.InputKind.CONSTANT
                && held.storage().equals(name);
    }

    private void warmUp() {
        double bytes = 0;
        TensorParallelPlan plan = TensorParallelPlan.of(model.graph());
        int ranks = run.parallel().kind().isOneProcess() ? 1 : run.parallel().world();
        for (Map.Entry<String, HeldTensor> e : model.state().tensors().entrySet()) {
            if (inCheckpoint(e.getKey(), e.getValue())) {
                double whole = bytes(e.getKey(), e.getValue());
                boolean parts = ranks > 1 && plan.has(e.getKey(), e.getValue());
                bytes += parts ? Math.floor(whole / ranks) : whole;
            }
        }
        Long total = run.device().total();
        if (total != null) {
            bytes = Math.min(bytes, total - SPARED);
        }
        long elements = (long) Math.floor(bytes / 2);
        runtime.attribute(runtime.number(new Attribution("", "warm-up", "")));
        try (Frame frame = runtime.frame()) {
            runtime.emptyStrided(DType.FLOAT16, new long[] {elements}, new long[] {1}, Category.TEMPORARIES);
        }
    }

    private double bytes(String name, HeldTensor held) {
        if (quantiser.quantises(name)) {
            return quantiser.weights(name) * (run.quant().kind() == QuantKind.INT8 ? 1 : 0.5);
        }
        TensorMeta meta = held.meta();
        long[] sizes =
                meta.sizes().stream().mapToLong(s -> s.evaluate(Map.of())).toArray();
        DType type = model.loadType(held);
        boolean kept = held.kind() == Graph.InputKind.PARAMETER
                && type == DType.FLOAT32
                && KeptWhole.applies(model.graph(), run); // counted before it is known
        return (double) Shapes.numel(sizes) * (kept ? DType.FLOAT16 : type).bytes();
    }
}
