package dev.headroom.executor.program;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Owner;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Addition;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A model's parameters and buffers on the device, in the order in which {@code Module.cuda()} brings them there:
 * children before their parent, parameters before buffers, what is tied once (torch/nn/modules/module.py,
 * Module._apply).
 */
public final class ModelMemory implements AutoCloseable {
    /** The operator that parameters and buffers are made by. */
    private static final String PARAMETER = "parameter";

    private final Eager eager;
    private final Graph graph;
    private final ModelState state;
    private final Scenario run;
    private final FlattenedWeights flattened;
    private final Map<String, Tensor> byStorage = new HashMap<>();
    private final Map<String, Tensor> byValue = new HashMap<>();
    private final Map<String, Tensor> parameters = new LinkedHashMap<>();
    private final List<Tensor> buffers = new ArrayList<>();
    private final List<String> places = new ArrayList<>();
    private final boolean elsewhere;
    private final List<Tensor> kept = new ArrayList<>();
    private @Nullable Initialisation values;

    private ModelMemory(Graph graph, Eager eager, Scenario run) {
        this.eager = eager;
        this.graph = graph;
        this.state = graph.held();
        this.run = run;
        this.elsewhere = run.parallel().build() != Parallelism.Build.CUDA;
        this.flattened = new FlattenedWeights(graph);
    }

    /**
     * Takes the memory, unless the model is built elsewhere; values are set with {@link #initialise()} and {@link
     * #materialise}.
     */
    public ModelMemory(Eager eager, Graph graph, Scenario run) {
        this(graph, eager, run);
        try {
            move();
            add();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        complete();
    }

    /** Nothing is on the device yet; {@link #complete} ends what brings it there. */
    public static ModelMemory empty(Eager eager, Graph graph, Scenario run) {
        return new ModelMemory(graph, eager, run);
    }

    /** The model. */
    public Graph graph() {
        return graph;
    }

    /** What the model holds. */
    public ModelState state() {
        return state;
    }

    /** Takes the memory of what is not there yet and was there when the model was built. */
    public void move() {
        move("");
    }

    /**
     * Takes the memory of what comes to a model that is on the device, step by step.
     *
     * @throws UserInputException for what is computed from weights
     */
    public void add() {
        for (Addition step : state.additions()) {
            switch (step.kind()) {
                case NEW, COPY, CONVERSION -> make(step.tensor(), step.type());
                default ->
                    throw new UserInputException("the executor makes no norms of weights, as DoRA needs them; leave out"
                            + " `dora`, or predict it");
            }
        }
    }

    /** All is there: who reads what from now on. */
    public void complete() {
        state.tensors().forEach((name, held) -> {
            Tensor t = stored(held.storage());
            if (held.value() != null) {
                byValue.put(held.value(), t);
            }
            if (held.kind() == Graph.InputKind.PARAMETER && held.storage().equals(name)) {
                t.requireGrad(held.meta().requiresGrad());
                parameters.put(name, t);
            } else if (held.kind() == Graph.InputKind.BUFFER && held.storage().equals(name)) {
                buffers.add(t);
            }
        });
    }

    private void move(String module) {
        for (String child : state.modules()) {
            if (!child.isEmpty() && ModelState.owner(child).equals(module)) {
                move(child);
            }
        }
        state.tensors().forEach((name, held) -> {
            if (ModelState.owner(name).equals(module) && !held.added()) {
                places.add(held.storage());
                if (!byStorage.containsKey(held.storage())) {
                    byStorage.put(held.storage(), make(name, held, type(held)));
                }
            }
        });
        if (!elsewhere) {
            flattened.moved(eager, module, byStorage);
        }
    }

    private Tensor stored(String storage) {
        return Objects.requireNonNull(byStorage.get(storage), storage);
    }

    /** The tensor of a name; {@code null} while it is not there. */
    public @Nullable Tensor named(String name) {
        return byStorage.get(held(name).storage());
    }

    /** Takes the memory of a tensor, in a type; another that is there goes afterwards. */
    public void make(String name, DType type) {
        put(name, make(name, held(name), type));
    }

    /**
     * A tensor has come.
     *
     * @param made with a reference that passes over
     */
    public void put(String name, Tensor made) {
        eager.release(byStorage.put(held(name).storage(), made));
    }

    /** Holds what a library keeps for the model. */
    public void keep(Tensor t) {
        kept.add(t);
    }

    private HeldTensor held(String name) {
        return Objects.requireNonNull(state.tensors().get(name), name);
    }

    /** The type of a tensor in the run. */
    public DType type(HeldTensor held) {
        return held.type(run.precision().dtype());
    }

    private Tensor make(String name, HeldTensor held, DType type) {
        eager.own(new Owner(ModelState.owner(name), PARAMETER));
        long[] sizes = held.meta().sizes().stream()
                .mapToLong(s -> s.evaluate(Map.of()))
                .toArray();
        long[] strides = held.meta().strides().stream()
                .mapToLong(s -> s.evaluate(Map.of()))
                .toArray();
        if (held.kind() == Graph.InputKind.CONSTANT) {
            return eager.hold(Tensor.number(type, 0)); // Module.cuda() leaves plain attributes in host memory
        }
        boolean turned = run.kernels().turns(sizes.length);
        try (Scope s = eager.open()) {
            long[] layout = turned ? Layout.channelsLast(sizes) : Layout.preserved(sizes, strides);
            return eager.hold(
                    elsewhere ? eager.unallocated(type, sizes, layout) : eager.emptyStrided(type, sizes, layout));
        }
    }

    /** Sets first values. */
    public void initialise() {
        initialise(Initialisation.of(eager, state));
    }

    /** Sets first values. */
    public void initialise(Initialisation given) {
        values = given;
        byStorage.forEach(this::initialise);
    }

    /** Sets the first values of a tensor in the place of the model's, if it has memory. */
    public void initialise(String storage, Tensor t) {
        if (t.onDevice() && t.storage().hasMemory()) {
            Objects.requireNonNull(values, "values").set(storage, t);
        }
    }

    /** Takes the memory of a tensor that was built elsewhere, and sets its values. */
    public void materialise(String storage) {
        Tensor t = stored(storage);
        if (t.onDevice() && !t.storage().hasMemory()) {
            eager.own(new Owner(ModelState.owner(storage), PARAMETER));
            eager.takeStorage(t);
            initialise(storage, t);
        }
    }

    /**
     * Puts others in the place of a parameter, which goes.
     *
     * @param stepped what the optimizer is given
     * @param used what operators get; not held here
     */
    public void replace(String storage, Tensor stepped, Tensor used) {
        Tensor before = byStorage.put(storage, eager.hold(stepped));
        byValue.replaceAll((value, t) -> Objects.equals(t, before) ? used : t);
        parameters.replace(storage, stepped);
        eager.release(before);
    }

    /** Puts another tensor in the place of a buffer, which goes. */
    public void bindBuffer(String storage, Tensor value) {
        Tensor before = byStorage.put(storage, eager.hold(value));
        byValue.replaceAll((name, t) -> Objects.equals(t, before) ? value : t);
        buffers.replaceAll(t -> Objects.equals(t, before) ? value : t);
        eager.release(before);
    }

    /** Storage names in the order of {@code Module._apply}, of tied tensors at each of their places. */
    public List<String> places() {
        return places;
    }

    /** The type that {@code --dtype} gives a tensor of the archive. */
    public static DType underRun(DType type, Scenario run) {
        return run.precision().dtype() != null && type.isFloatingPoint()
                ? run.precision().dtype()
                : type;
    }

    /** Lets all of it go, gradients included. */
    @Override
    public void close() {
        kept.forEach(eager::release);
        kept.clear();
        byStorage.values().forEach(eager::release);
        byStorage.clear();
        byValue.clear();
        parameters.clear();
        buffers.clear();
    }

    /** By value name of the graph. */
    public Map<String, Tensor> byValue() {
        return byValue;
    }

    /** By storage name, buffers too. */
    public Map<String, Tensor> all() {
        return byStorage;
    }

    /** By qualified name, in the order of {@code named_parameters()}. */
    public Map<String, Tensor> parameters() {
        return parameters;
    }

    /** In the order of {@code buffers()}. */
    public List<Tensor> buffers() {
        return buffers;
    }

    /** What the optimizer is given: {@code model.parameters()}, frozen ones too, which never get a gradient. */
    public List<Tensor> trained() {
        return new ArrayList<>(parameters.values());
    }
}
