package dev.headroom.model.importer;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Graph.InputKind;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Joins the signature's inputs with the archive's description of its tensors: what the model holds, in order. */
final class StateAssembler {
    private record Found(
            InputKind kind,
            TensorMeta meta,
            boolean persistent,
            @Nullable String value) {}

    private final Graph graph;
    private final Map<String, Found> found = new LinkedHashMap<>();

    private StateAssembler(Graph graph) {
        this.graph = graph;
    }

    /**
     * Assembles the state.
     *
     * @param graph the resolved graph; its inputs are the signature's
     * @param modules the exporter's list of modules
     * @param weightBytes size of a weights record, 0 if the archive holds no data
     */
    static ModelState assemble(
            Graph graph,
            List<String> modules,
            List<String> notes,
            Map<String, StateReader.Payload> weights,
            Map<String, StateReader.Payload> constants,
            ToLongFunction<String> weightBytes) {
        StateAssembler assembler = new StateAssembler(graph);
        assembler.collect(weights, constants);
        Map<String, String> canonical = new HashMap<>();
        List<String> allNotes = new ArrayList<>(notes);
        assembler.tieByStorage(canonical, weights, weightBytes);
        assembler.tieByUse(canonical, allNotes);
        return assembler.inOrder(modules, canonical, allNotes);
    }

    private void collect(Map<String, StateReader.Payload> weights, Map<String, StateReader.Payload> constants) {
        Map<String, Found> inputs = inputs(weights, constants);
        if (!inputs.keySet().containsAll(weights.keySet())) {
            // A strict export has no inputs for unused tensors, and lists the rest in order of use.
            weights.forEach((name, payload) -> found.put(name, inputs.getOrDefault(name, unused(payload))));
        }
        inputs.forEach(found::putIfAbsent);
        constants.forEach(
                (name, payload) -> found.putIfAbsent(name, new Found(InputKind.CONSTANT, payload.meta(), false, null)));
    }

    private static Found unused(StateReader.Payload payload) {
        InputKind kind = payload.parameter() ? InputKind.PARAMETER : InputKind.BUFFER;
        return new Found(kind, payload.meta(), true, null);
    }

    private Map<String, Found> inputs(
            Map<String, StateReader.Payload> weights, Map<String, StateReader.Payload> constants) {
        Map<String, Found> inputs = new LinkedHashMap<>();
        for (Graph.Input input : graph.inputs()) {
            if (input.kind() == InputKind.USER) {
                continue;
            }
            String name = input.qualifiedName();
            StateReader.Payload payload = weights.containsKey(name) ? weights.get(name) : constants.get(name);
            TensorMeta meta = payload == null ? graph.meta(input.value()) : payload.meta();
            if (inputs.put(name, new Found(input.kind(), meta, input.persistent(), input.value())) != null) {
                throw new UserInputException("the tensor " + name + " is an input twice");
            }
        }
        return inputs;
    }

    /** Real weights: one record a storage. */
    private void tieByStorage(
            Map<String, String> canonical,
            Map<String, StateReader.Payload> weights,
            ToLongFunction<String> weightBytes) {
        weights.forEach((name, payload) -> {
            if (weightBytes.applyAsLong(payload.record()) > 0) {
                canonical.put(name, "record " + payload.record());
            }
        });
    }

    /** Weights without data all claim the same record. */
    private void tieByUse(Map<String, String> canonical, List<String> notes) {
        Map<String, TensorMeta> parameters = new LinkedHashMap<>();
        found.forEach((name, tensor) -> {
            if (tensor.kind == InputKind.PARAMETER && !canonical.containsKey(name)) {
                parameters.put(name, tensor.meta);
            }
        });
        TiedTensors.Result result = TiedTensors.find(graph, parameters);
        result.tied().forEach(canonical::put);
        result.tied().values().forEach(name -> canonical.put(name, name));
        notes.addAll(result.notes());
    }

    private ModelState inOrder(List<String> called, Map<String, String> canonical, List<String> notes) {
        List<String> modules = ModuleTree.order(called, found.keySet());
        Map<String, Map<InputKind, List<String>>> owned = new HashMap<>();
        found.forEach((name, tensor) -> owned.computeIfAbsent(ModelState.owner(name), m -> new HashMap<>())
                .computeIfAbsent(tensor.kind, k -> new ArrayList<>())
                .add(name));
        Map<String, String> first = new HashMap<>();
        Map<String, HeldTensor> tensors = new LinkedHashMap<>();
        for (String module : modules) {
            for (InputKind kind : List.of(InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT)) {
                for (String name : owned.getOrDefault(module, Map.of()).getOrDefault(kind, List.of())) {
                    Found tensor = Objects.requireNonNull(found.get(name), name);
                    String storage = first.computeIfAbsent(canonical.getOrDefault(name, name), k -> name);
                    tensors.put(name, new HeldTensor(kind, tensor.meta, tensor.persistent, tensor.value, storage));
                }
            }
        }
        return new ModelState(modules, tensors, notes);
    }
}
