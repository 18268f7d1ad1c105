package dev.headroom.estimator.program;

import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A model's parameters and buffers on the GPU. */
public final class ModelTensors {
    /** The operator in the attribution of parameters and buffers; its node is the qualified name. */
    public static final String PARAMETER = "parameter";

    private final EagerRuntime runtime;
    private final Map<String, Tensor> byStorageName = new LinkedHashMap<>();
    private final Map<String, String> storages = new HashMap<>();

    private final Map<String, Tensor> byValue = new HashMap<>();
    private final List<Tensor> parameters = new ArrayList<>();
    private final List<String> parameterNames = new ArrayList<>();
    private final List<Tensor> buffers = new ArrayList<>();

    /** Moves a model whose floating-point tensors have one type; {@code null}: those of the archive. */
    public ModelTensors(EagerRuntime runtime, Graph graph, @Nullable DType type) {
        this(
                runtime,
                new ModelAssembly(
                                runtime,
                                graph,
                                new ModelAssembly.Form(type, Scenario.defaults().kernels(), false),
                                Placement.FIRST)
                        .move()
                        .add());
    }

    /** @param assembled all of the model, on the device; it is not used any more */
    public ModelTensors(EagerRuntime runtime, ModelAssembly assembled) {
        this.runtime = runtime;
        byStorageName.putAll(assembled.tensors());
        // named_parameters(): a module's own before its children's, tied ones once.
        for (Map.Entry<String, ModelState.HeldTensor> e :
                assembled.state().tensors().entrySet()) {
            ModelState.HeldTensor held = e.getValue();
            Tensor t = Objects.requireNonNull(byStorageName.get(held.storage()), e.getKey());
            storages.put(e.getKey(), held.storage());
            if (held.value() != null) {
                byValue.put(held.value(), t);
            }
            boolean first = held.storage().equals(e.getKey());
            if (held.kind() == Graph.InputKind.PARAMETER && first) {
                parameters.add(t);
                parameterNames.add(e.getKey());
                runtime.requireGrad(t, held.meta().requiresGrad());
            } else if (held.kind() == Graph.InputKind.BUFFER && first) {
                buffers.add(t);
            }
        }
    }

    /** Several models as one, in order; names and values of the first come first. */
    public static ModelTensors together(EagerRuntime runtime, List<ModelTensors> models) {
        ModelTensors all = new ModelTensors(runtime);
        all.gather(models);
        return all;
    }

    /** Has what several models have now, in order. */
    public void gather(List<ModelTensors> models) {
        byValue.clear();
        byStorageName.clear();
        storages.clear();
        parameters.clear();
        parameterNames.clear();
        buffers.clear();
        for (ModelTensors m : models) {
            m.byValue.forEach(byValue::putIfAbsent);
            m.byStorageName.forEach(byStorageName::putIfAbsent);
            m.storages.forEach(storages::putIfAbsent);
            parameters.addAll(m.parameters);
            parameterNames.addAll(m.parameterNames);
            buffers.addAll(m.buffers);
        }
    }

    private ModelTensors(EagerRuntime runtime) {
        this.runtime = runtime;
    }

    /** By value name of the graph. */
    public Map<String, Tensor> byValue() {
        return byValue;
    }

    /** In the order of {@code parameters()}. */
    public List<Tensor> parameters() {
        return parameters;
    }

    /** In the order of {@code buffers()}. */
    public List<Tensor> buffers() {
        return buffers;
    }

    /** Qualified names, parallel to {@link #parameters}. */
    public List<String> parameterNames() {
        return parameterNames;
    }

    /**
     * Qualified names of all that the model holds, in the order in which it is moved; the first one of tied tensors.
     */
    public List<String> moved() {
        return List.copyOf(byStorageName.keySet());
    }

    /** What the model holds under a qualified name, that of an alias included. */
    public Tensor named(String name) {
        return Objects.requireNonNull(byStorageName.get(storages.get(name)), name);
    }

    /**
     * Puts another tensor in a parameter's or a buffer's place.
     *
     * @param name the qualified name under which {@link #moved} lists it
     * @param kept what the model's {@code parameters()} has from now on, with a reference that passes over
     * @param used what a forward pass reads, with a reference that passes over
     * @return the one before, with its reference
     */
    public Tensor replace(String name, Tensor kept, Tensor used) {
        Tensor before = byStorageName.put(name, kept);
        int at = parameterNames.indexOf(name);
        if (at >= 0) {
            parameters.set(at, kept);
        } else {
            buffers.replaceAll(b -> b == before ? kept : b);
        }
        byValue.replaceAll((value, t) -> t == before ? used : t);
        return before;
    }

    /** The model's {@code parameters()} are others from now on, all of the same name. */
    public void parametersAre(String name, List<Tensor> tensors) {
        parameters.clear();
        parameters.addAll(tensors);
        parameterNames.clear();
        tensors.forEach(t -> parameterNames.add(name));
    }

    /** Adds a parameter that no forward pass reads, with a reference that passes over. */
    public void add(String name, Tensor kept) {
        parameters.add(kept);
        parameterNames.add(name);
    }

    /** Parameters that are tied become tensors of their own that have the same memory, in their modules' order. */
    public void untie(ModelState state) {
        parameters.clear();
        parameterNames.clear();
        state.tensors().forEach((name, held) -> {
            if (held.kind() != Graph.InputKind.PARAMETER) {
                return;
            }
            Tensor t = named(name);
            if (!name.equals(storages.get(name))) {
                try (Frame frame = runtime.frame()) {
                    t = runtime.hold(runtime.detach(t));
                }
                runtime.requireGrad(t, held.meta().requiresGrad());
                storages.put(name, name);
                byStorageName.put(name, t);
                if (held.value() != null) {
                    byValue.put(held.value(), t);
                }
            }
            parameters.add(t);
            parameterNames.add(name);
        });
    }

    /** Adds them with their gradients; what has a history leads a pass back to the one before, and is not described. */
    public void describe(Beginning to) {
        List<Tensor> all = new ArrayList<>(byStorageName.values());
        all.addAll(parameters);
        all.addAll(buffers);
        to.parts(all);
        all.forEach(
                t -> to.unknownIf(!t.isLeaf() || t.grad() != null && !t.grad().isLeaf()));
    }

    /** {@code zero_grad(set_to_none=True)}. */
    public void dropGradients() {
        for (Tensor p : parameters) {
            runtime.setGrad(p, null);
        }
    }
}
