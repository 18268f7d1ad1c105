package dev.headroom.estimator.program;

import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A model's parameters and buffers on the GPU, moved there as {@code Module.cuda()} does: a module's children first,
 * then its own parameters, then its buffers; tied ones once (torch/nn/modules/module.py, _apply).
 */
public final class ModelTensors {
    /** The operator in the attribution of parameters and buffers; its node is the qualified name. */
    public static final String PARAMETER = "parameter";

    private final EagerRuntime runtime;
    private final boolean channelsLast;
    private final boolean elsewhere;
    private final Placement placement;
    private final Map<String, Tensor> byStorageName = new LinkedHashMap<>();
    private final Map<String, String> storages = new HashMap<>();

    /** What was moved in the archive's types and waits for its conversion, by storage name. */
    private final Map<String, Tensor> unconverted = new HashMap<>();

    private final Map<String, Tensor> byValue = new HashMap<>();
    private final List<Tensor> parameters = new ArrayList<>();
    private final List<String> parameterNames = new ArrayList<>();
    private final List<Tensor> buffers = new ArrayList<>();

    public ModelTensors(EagerRuntime runtime, Graph graph, DType type) {
        this(runtime, graph, type, false, false, false, Placement.FIRST);
    }

    /**
     * Moves a model.
     *
     * @param channelsLast {@code model.to(memory_format=torch.channels_last)}: what has four dimensions
     * @param convertsOnDevice {@code model.cuda().half()}: moved in the archive's types, then one tensor after another
     *     makes room for its conversion
     * @param elsewhere the model is not on the GPU but in host memory, or on the meta device
     * @param placement where its modules go
     */
    public ModelTensors(
            EagerRuntime runtime,
            Graph graph,
            DType type,
            boolean channelsLast,
            boolean convertsOnDevice,
            boolean elsewhere,
            Placement placement) {
        this.runtime = runtime;
        this.elsewhere = elsewhere;
        this.placement = placement;
        this.channelsLast = channelsLast;
        ModelState state = graph.held();
        Map<String, List<String>> children = new LinkedHashMap<>();
        Map<String, List<String>> own = new HashMap<>();
        for (String module : state.modules()) {
            if (!module.isEmpty()) {
                children.computeIfAbsent(ModelState.owner(module), k -> new ArrayList<>())
                        .add(module);
            }
        }
        for (String name : state.tensors().keySet()) {
            own.computeIfAbsent(ModelState.owner(name), k -> new ArrayList<>()).add(name);
        }
        if (convertsOnDevice && type != null) {
            move("", children, own, state, null, new RecurrentWeights(graph));
            unconverted.putAll(byStorageName);
            byStorageName.clear();
        }
        move("", children, own, state, type, new RecurrentWeights(graph));
        // named_parameters(): a module's own before its children's, tied ones once.
        for (Map.Entry<String, ModelState.HeldTensor> e : state.tensors().entrySet()) {
            ModelState.HeldTensor held = e.getValue();
            Tensor t = byStorageName.get(held.storage());
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
        this.elsewhere = false;
        this.placement = Placement.FIRST;
        this.channelsLast = false;
    }

    private void move(
            String module,
            Map<String, List<String>> children,
            Map<String, List<String>> own,
            ModelState state,
            DType type,
            RecurrentWeights recurrent) {
        for (String child : children.getOrDefault(module, List.of())) {
            move(child, children, own, state, type, recurrent);
        }
        for (String name : own.getOrDefault(module, List.of())) {
            ModelState.HeldTensor held = state.tensors().get(name);
            if (!byStorageName.containsKey(held.storage())) {
                byStorageName.put(held.storage(), converted(name, held, type));
            }
        }
        if (!elsewhere) {
            recurrent.flatten(runtime, module, byStorageName);
        }
    }

    private Tensor converted(String name, ModelState.HeldTensor held, DType type) {
        Tensor before = unconverted.get(held.storage());
        if (before != null && before.dtype() == ModelTypes.under(held.meta().dtype(), type)) {
            return before;
        }
        Tensor after = make(name, held, type);
        runtime.release(before);
        return after;
    }

    private Tensor make(String name, ModelState.HeldTensor held, DType type) {
        runtime.attribute(runtime.number(new Attribution(ModelState.owner(name), PARAMETER, name)));
        int before = runtime.devices().use(placement.device(ModelState.owner(name)));
        Frame frame = runtime.frame();
        try {
            long[] sizes = sizes(held.meta().sizes());
            DType of = ModelTypes.under(held.meta().dtype(), type);
            if (held.kind() == Graph.InputKind.CONSTANT) {
                // A literal or a plain attribute: Module.to leaves its type, Module.cuda() leaves it in host memory.
                // A literal scalar is made in the type of what it is for (a mask's zero); it decides a result's type
                // only where nothing else does.
                return runtime.hold(
                        runtime.hostTensor(sizes.length == 0 ? of : held.meta().dtype(), sizes));
            }
            if (elsewhere) {
                return runtime.hold(runtime.hostTensor(of, sizes));
            }
            Category category = held.kind() == Graph.InputKind.PARAMETER ? Category.PARAMETERS : Category.BUFFERS;
            Tensor t = runtime.emptyStrided(of, sizes, strides(held, sizes), category);
            return runtime.hold(t);
        } finally {
            frame.close();
            runtime.devices().use(before);
        }
    }

    /** {@code to(memory_format=torch.channels_last)} turns tensors of four dimensions around. */
    private long[] strides(ModelState.HeldTensor held, long[] sizes) {
        if (channelsLast && sizes.length == 4) {
            return Shapes.channelsLast(sizes);
        }
        long[] strides = sizes(held.meta().strides());
        return Shapes.preserved(sizes, strides);
    }

    private static long[] sizes(List<SymExpr> in) {
        long[] out = new long[in.size()];
        for (int i = 0; i < out.length; i++) {
            out[i] = in.get(i).evaluate(Map.of());
        }
        return out;
    }

    /** {@code Module.to(device)} of a model that was elsewhere: tensors stay who they are. */
    public void toDevice() {
        for (Tensor t : byStorageName.values()) {
            boolean parameter = parameters.contains(t);
            if (t.onDevice() || !parameter && !buffers.contains(t)) {
                continue;
            }
            try (Frame frame = runtime.frame()) {
                Category category = parameter ? Category.PARAMETERS : Category.BUFFERS;
                runtime.setData(t, runtime.emptyStrided(t.dtype(), t.sizes(), t.strides(), category), t.strides(), 0);
            }
        }
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
        return byStorageName.get(storages.get(name));
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

    /** {@code zero_grad(set_to_none=True)}. */
    public void dropGradients() {
        for (Tensor p : parameters) {
            runtime.setGrad(p, null);
        }
    }
}
