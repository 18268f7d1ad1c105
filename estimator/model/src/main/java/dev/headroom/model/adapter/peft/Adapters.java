package dev.headroom.model.adapter.peft;

import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.graph.Addition;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Adds adapters to a model as {@code peft.get_peft_model} does: layers around the targeted ones, whose calls go on as
 * before and are followed by the adapter's; copies of modules that are trained whole; all else is frozen.
 */
public final class Adapters {
    private final Graph graph;
    private final AdapterOptions options;
    private final Surroundings run;
    private final Map<String, Wrapping> wrappings = new LinkedHashMap<>();
    private final Map<String, HeldTensor> added = new LinkedHashMap<>();
    private final Map<CallSpan.Range, List<Node>> rewritten = new HashMap<>();
    private final Map<String, TensorMeta> results = new HashMap<>();

    private Adapters(Graph graph, AdapterOptions options, Surroundings run) {
        this.graph = graph;
        this.options = options;
        this.run = run;
    }

    /** The graph of the model that is trained. */
    public static Graph rewrite(Graph graph, AdapterOptions options, Surroundings run) {
        Graph frozen = Frozen.freeze(graph, options);
        return options.any() ? new Adapters(frozen, options, run).wrapped() : frozen;
    }

    private Graph wrapped() {
        List<String> modules = graph.held().modules();
        SavedModules saved = SavedModules.of(options, graph);
        Targets targets = Targets.of(options.targets(), modules);
        boolean all = targets.allLinear();
        if (!all) {
            targets.require(modules);
        }
        List<CallSpan.Range> ranges = CallSpan.ranges(
                graph.nodes(), path -> saved.contains(path) || !saved.around(path) && (all || targets.matches(path)));
        ranges = all ? CallSpan.ranges(graph.nodes(), path -> saved.contains(path) || isLeaf(path)) : ranges;
        List<CallSpan> calls = CallSpan.of(graph, ranges);
        OutputLayer output = new OutputLayer(graph);
        for (int i = 0; i < calls.size(); i++) {
            CallSpan call = calls.get(i);
            String path = call.module().path();
            if (saved.contains(path)) {
                rewritten.put(ranges.get(i), save(call));
                continue;
            }
            Optional<LayerKind> kind = LayerKind.of(call);
            boolean wanted = kind.isPresent() && (!all || kind.get().isLinear() && !output.is(path));
            if (wanted) {
                rewritten.put(ranges.get(i), adapt(call, kind.get()));
            } else if (!all) {
                throw new dev.headroom.model.error.UserInputException("--targets: peft makes no adapter for '" + path
                        + "', a " + simple(call.module().type()));
            }
        }
        return result(ranges);
    }

    private boolean isLeaf(String path) {
        return graph.held().tensors().containsKey(path + ".weight");
    }

    private static String simple(String type) {
        return type.substring(type.lastIndexOf('.') + 1);
    }

    private List<Node> adapt(CallSpan call, LayerKind kind) {
        Layer layer = layer(call, kind);
        AdapterLayer adapter = AdapterLayer.of(layer, call, options, run);
        if (!wrappings.containsKey(layer.path())) {
            wrap(adapter.wrapping(), layer.type());
        }
        LayerWriter writer = new LayerWriter(call, kind.wrapper());
        adapter.write(writer, weights(layer.path()));
        note(writer);
        return writer.nodes();
    }

    private void note(LayerWriter writer) {
        TensorMeta meta = graph.values().get(writer.result());
        if (meta != null) {
            results.put(writer.result() + "_base", meta);
        }
    }

    private void wrap(Wrapping wrapping, DType madeIn) {
        wrappings.put(wrapping.path(), wrapping);
        for (Wrapping.Added t : wrapping.tensors()) {
            DType type = isMagnitude(t.name()) ? run.wideType(madeIn, options) : run.adapterType(madeIn, options);
            HeldTensor held = new HeldTensor(
                    Graph.InputKind.PARAMETER, WrappedState.meta(t.sizes(), type, true), true, t.value(), t.name());
            added.put(t.name(), held.of(type).later());
        }
    }

    private Layer layer(CallSpan call, LayerKind kind) {
        String path = call.module().path();
        String name = path + ".weight";
        @Nullable HeldTensor weight = graph.held().tensors().get(name);
        List<SymExpr> sizes = kind.isQuantised()
                ? Quantised.shape(call)
                : Objects.requireNonNull(weight, name).meta().sizes();
        DType type = kind == LayerKind.LINEAR_4BIT
                ? Quantised.computeType(call)
                : Objects.requireNonNull(weight, name).type(run.model());
        return new Layer(
                path,
                kind,
                sizes.stream().map(s -> s.evaluate(Map.of())).toList(),
                name,
                graph.held().tensors().containsKey(path + ".bias"),
                type.isFloatingPoint() ? type : DType.FLOAT32);
    }

    /** Values of a module's tensors by their names in it. */
    private Map<String, String> weights(String path) {
        Map<String, String> out = new HashMap<>();
        graph.held().tensors().forEach((name, held) -> {
            if (name.startsWith(path + ".") && held.value() != null) {
                out.put(name.substring(path.length() + 1), held.value());
            }
        });
        return out;
    }

    private List<Node> save(CallSpan call) {
        String path = call.module().path();
        wrappings.computeIfAbsent(path, k -> SavedModules.wrapping(path, graph, run.model(), added));
        LayerWriter writer = new LayerWriter(call, SavedModules.WRAPPER);
        writer.line("return self.modules_to_save[self.active_adapters[0]](*args, **kwargs)");
        writer.whole(SavedModules.COPY, SavedModules.instead(path, graph));
        return writer.nodes();
    }

    private Graph result(List<CallSpan.Range> ranges) {
        List<Node> nodes = new ArrayList<>();
        int at = 0;
        for (CallSpan.Range range : ranges) {
            nodes.addAll(graph.nodes().subList(at, range.from()));
            nodes.addAll(rewritten.getOrDefault(range, graph.nodes().subList(range.from(), range.to())));
            at = range.to();
        }
        nodes.addAll(graph.nodes().subList(at, graph.nodes().size()));
        Map<String, TensorMeta> values = new LinkedHashMap<>(graph.values());
        values.putAll(results);
        Graph rewrittenGraph = new Graph(
                graph.name(),
                graph.inputs(),
                nodes,
                graph.outputs(),
                values,
                graph.ints(),
                graph.symbols(),
                graph.state(),
                Frozen.all(graph.held(), options));
        return WrappedState.of(rewrittenGraph, wrappings, added, additions());
    }

    /** Adapters in the order of the modules, then copies, then the adapters' conversions. */
    private List<Addition> additions() {
        List<Addition> made = new ArrayList<>();
        List<Addition> copies = new ArrayList<>();
        List<Addition> conversions = new ArrayList<>();
        List<Addition> lowered = new ArrayList<>();
        for (String module : graph.held().modules()) {
            Wrapping wrapping = wrappings.get(module);
            if (wrapping == null) {
                continue;
            }
            for (Addition step : wrapping.made()) {
                boolean copy = step.kind() == Addition.Kind.COPY;
                (copy ? copies : made).add(step);
                DType type = run.wideType(step.type(), options);
                if (!copy && type != step.type()) {
                    conversions.add(new Addition(Addition.Kind.CONVERSION, step.tensor(), type, List.of()));
                }
                DType last = run.adapterType(step.type(), options);
                if (!copy && last != type && !isMagnitude(step.tensor())) {
                    lowered.add(new Addition(Addition.Kind.CONVERSION, step.tensor(), last, List.of()));
                }
            }
        }
        made.addAll(copies);
        made.addAll(conversions);
        made.addAll(lowered);
        return made;
    }

    private static boolean isMagnitude(String name) {
        return name.contains("lora_magnitude_vector");
    }
}
