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
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Kernels;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A model's parameters and buffers while they come to the GPU: all at once as {@code Module.cuda()} moves them, or one
 * by one as a library loads them. {@link ModelTensors} is what comes of it.
 */
public final class ModelAssembly {
    /**
     * What the tensors are on the device.
     *
     * @param type of all that is floating point; {@code null}: as in the archive
     * @param kernels {@code model.to(memory_format=torch.channels_last)} turns what has four dimensions around
     * @param elsewhere the model is not on the GPU but in host memory, or on the meta device
     */
    public record Form(@Nullable DType type, Kernels kernels, boolean elsewhere) {}

    private final EagerRuntime runtime;
    private final Graph graph;
    private final Form form;
    private final Placement placement;
    private final Map<String, Tensor> byStorageName = new LinkedHashMap<>();

    /** What was moved in the archive's types and waits for its conversion, by storage name. */
    private final Map<String, Tensor> unconverted = new HashMap<>();

    private final Map<String, List<String>> children = new LinkedHashMap<>();
    private final Map<String, List<String>> own = new HashMap<>();

    /** Nothing is there yet. */
    public ModelAssembly(EagerRuntime runtime, Graph graph, Form form, Placement placement) {
        this.runtime = runtime;
        this.graph = graph;
        this.form = form;
        this.placement = placement;
        for (String module : graph.held().modules()) {
            if (!module.isEmpty()) {
                children.computeIfAbsent(ModelState.owner(module), k -> new ArrayList<>())
                        .add(module);
            }
        }
        for (String name : graph.held().tensors().keySet()) {
            own.computeIfAbsent(ModelState.owner(name), k -> new ArrayList<>()).add(name);
        }
    }

    /** A run's model, in the run's form. */
    public static ModelAssembly of(EagerRuntime runtime, PreparedRun prepared, Placement placement) {
        Scenario run = prepared.scenario();
        Form form = new Form(
                ModelTypes.converts(prepared.graph(), run) ? run.precision().dtype() : null,
                run.kernels(),
                run.parallel().build() != Parallelism.Build.CUDA);
        return new ModelAssembly(runtime, prepared.graph(), form, placement);
    }

    /** The model. */
    public Graph graph() {
        return graph;
    }

    /** What the model holds, whether or not it is there yet. */
    public ModelState state() {
        return graph.held();
    }

    /** What the tensors are on the device. */
    public Form form() {
        return form;
    }

    /**
     * Moves what is not there yet and was there when the model was built: a module's children first, then its own
     * parameters, then its buffers; tied ones once (torch/nn/modules/module.py, _apply).
     */
    public ModelAssembly move() {
        move("", form.type, new RecurrentWeights(graph));
        return this;
    }

    /**
     * Makes all as {@code copy.deepcopy} of a model on the device does: a module's own parameters and buffers before
     * its children's (torch/nn/modules/module.py, the order of {@code __dict__}).
     */
    public ModelAssembly copy() {
        for (Map.Entry<String, ModelState.HeldTensor> e : state().tensors().entrySet()) {
            if (!byStorageName.containsKey(e.getValue().storage())) {
                put(e.getKey(), make(e.getKey(), form.type));
            }
        }
        return this;
    }

    /** {@code model.cuda().half()}: moved in the archive's types, then one tensor after another is converted. */
    public ModelAssembly moveAndConvert() {
        if (form.type != null) {
            move("", null, new RecurrentWeights(graph));
            unconverted.putAll(byStorageName);
            byStorageName.clear();
        }
        return move();
    }

    /** Makes what is added to a model that is on the device. */
    public ModelAssembly add() {
        ModelAdditions additions = new ModelAdditions(runtime, this);
        state().additions().forEach(additions::make);
        return this;
    }

    private ModelState.HeldTensor held(String name) {
        return Objects.requireNonNull(state().tensors().get(name), name);
    }

    private void move(String module, @Nullable DType type, RecurrentWeights recurrent) {
        for (String child : children.getOrDefault(module, List.of())) {
            move(child, type, recurrent);
        }
        for (String name : own.getOrDefault(module, List.of())) {
            ModelState.HeldTensor held = held(name);
            if (!held.added() && !byStorageName.containsKey(held.storage())) {
                put(name, converted(name, held, type));
            }
        }
        if (!form.elsewhere) {
            recurrent.flatten(runtime, module, byStorageName);
        }
    }

    private Tensor converted(String name, ModelState.HeldTensor held, @Nullable DType type) {
        Tensor before = unconverted.get(held.storage());
        if (before != null && before.dtype() == held.type(type)) {
            return before;
        }
        Tensor after = make(name, type);
        runtime.release(before);
        return after;
    }

    /** From now on allocations count as made for a tensor of the model. */
    public void attribute(String name) {
        runtime.attribute(runtime.number(new Attribution(ModelState.owner(name), ModelTensors.PARAMETER, name)));
    }

    /** Makes a tensor as the run has it, with a reference for the caller. */
    public Tensor make(String name) {
        return make(name, form.type);
    }

    /** The same in the type that it is loaded in, where it is converted later. */
    public Tensor load(String name) {
        return make(name, held(name), loadType(held(name)));
    }

    /** The type that a tensor is loaded in: what no checkpoint holds stays as it is. */
    public DType loadType(ModelState.HeldTensor held) {
        if (held.kind() == Graph.InputKind.BUFFER && !held.persistent()) {
            return held.type(null);
        }
        return held.loadType() == null ? held.type(form.type) : held.loadType();
    }

    private Tensor make(String name, @Nullable DType type) {
        ModelState.HeldTensor held = held(name);
        return make(name, held, held.type(type));
    }

    /** Makes a tensor in a type, with a reference for the caller. */
    Tensor makeAs(String name, DType of) {
        return make(name, held(name), of);
    }

    private Tensor make(String name, ModelState.HeldTensor held, DType of) {
        attribute(name);
        int before = runtime.devices().use(placement.device(ModelState.owner(name)));
        Frame frame = runtime.frame();
        try {
            long[] sizes = sizes(held.meta().sizes());
            if (held.kind() == Graph.InputKind.CONSTANT) {
                // A literal or a plain attribute: Module.to leaves its type, Module.cuda() leaves it in host memory.
                // A literal scalar is made in the type of what it is for (a mask's zero); it decides a result's type
                // only where nothing else does.
                return runtime.hold(
                        runtime.hostTensor(sizes.length == 0 ? of : held.meta().dtype(), sizes));
            }
            if (form.elsewhere) {
                return runtime.hold(runtime.hostTensor(of, sizes));
            }
            return runtime.hold(runtime.emptyStrided(of, sizes, strides(held, sizes), category(held)));
        } finally {
            frame.close();
            runtime.devices().use(before);
        }
    }

    /** What the memory of a tensor counts as. */
    public static Category category(ModelState.HeldTensor held) {
        return held.kind() == Graph.InputKind.PARAMETER ? Category.PARAMETERS : Category.BUFFERS;
    }

    /**
     * {@code to(memory_format=torch.channels_last)} turns tensors of four dimensions around, channels_last_3d those of
     * five.
     */
    private long[] strides(ModelState.HeldTensor held, long[] sizes) {
        if (form.kernels.turns(sizes.length)) {
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

    /**
     * A tensor has come to the device.
     *
     * @param made with a reference that passes over
     */
    public void put(String name, Tensor made) {
        byStorageName.put(held(name).storage(), made);
    }

    /** The tensor of a name, that of an alias included; {@code null} while it is not there. */
    public @Nullable Tensor named(String name) {
        return byStorageName.get(held(name).storage());
    }

    /** By storage name, in the order in which they came. */
    Map<String, Tensor> tensors() {
        return byStorageName;
    }
}
