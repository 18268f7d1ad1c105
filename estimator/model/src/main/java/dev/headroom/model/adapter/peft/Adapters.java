package dev.headroom.model.adapter.peft;

import dev.headroom.model.adapter.AdapterMethod;
import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.adapter.peft.graph.CallSpan;
import dev.headroom.model.adapter.peft.graph.LayerWriter;
import dev.headroom.model.adapter.peft.graph.Quantised;
import dev.headroom.model.adapter.peft.graph.Surroundings;
import dev.headroom.model.adapter.peft.graph.WrappedState;
import dev.headroom.model.adapter.peft.graph.Wrapping;
import dev.headroom.model.adapter.peft.layer.AdapterLayer;
import dev.headroom.model.adapter.peft.layer.Ia3Targets;
import dev.headroom.model.adapter.peft.layer.Layer;
import dev.headroom.model.adapter.peft.layer.LayerKind;
import dev.headroom.model.adapter.peft.layer.Projection;
import dev.headroom.model.adapter.peft.layer.SvdLayer;
import dev.headroom.model.adapter.peft.layer.Targets;
import dev.headroom.model.error.UserInputException;
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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
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
    private final List<String> notes = new ArrayList<>();
    /** Values of the model's tensors by name. */
    private final NavigableMap<String, String> held = new TreeMap<>();

    private Adapters(Graph graph, AdapterOptions options, Surroundings run) {
        this.graph = graph;
        this.options = options;
        this.run = run;
        graph.held().tensors().forEach((name, tensor) -> {
            if (tensor.value() != null) {
                held.put(name, tensor.value());
            }
        });
    }

    /** The graph of the model that is trained. */
    public static Graph rewrite(Graph graph, AdapterOptions options, Surroundings run) {
        Graph frozen = Frozen.freeze(graph, options);
        boolean usual = options.ia3() && options.targets().isEmpty();
        AdapterOptions named = usual ? options.withTargets(Ia3Targets.of(frozen)) : options;
        if (options.virtualTokens() > 0) {
            return PromptTokens.rewrite(Frozen.of(frozen, Frozen.all(frozen.held(), options)), options);
        }
        if (options.prefixTokens() > 0) {
            return PrefixTuning.rewrite(Frozen.of(frozen, Frozen.all(frozen.held(), options)), options);
        }
        if (options.method() == AdapterMethod.LN_TUNING) {
            return new Adapters(frozen, options.withModulesToSave(SavedModules.Norms.of(frozen, options)), run)
                    .copied();
        }
        return options.any() ? new Adapters(frozen, named, run).wrapped() : frozen;
    }

    /** The model with copies of modules, and no adapters. */
    private Graph copied() {
        SavedModules saved = SavedModules.of(options, graph);
        List<CallSpan.Range> ranges = CallSpan.ranges(graph.nodes(), saved::contains);
        List<CallSpan> calls = CallSpan.of(graph, ranges);
        for (int i = 0; i < calls.size(); i++) {
            rewritten.put(ranges.get(i), save(calls.get(i)));
        }
        return result(ranges);
    }

    private Graph wrapped() {
        LoraParameters.require(graph, options);
        if (run.makes() && options.type() == AdapterOptions.Type.MODEL) {
            notes.add("`adapter_dtype=model`: SFTTrainer makes the adapters itself, in float32");
        }
        OutputLayer output = new OutputLayer(graph);
        FusedExperts asked = FusedExperts.of(graph, options, () -> linear(output));
        List<String> modules = graph.held().modules();
        SavedModules saved = SavedModules.of(options, graph);
        Map<String, Map<String, HeldTensor>> parameters = LoraParameters.targeted(graph, asked.options());
        Targets targets = Targets.of(asked.options(), modules);
        Targets.named(options.targets()).absent(modules).stream()
                .filter(name -> asked.options().targets().contains(name))
                .forEach(name -> notes.add("`targets`: the model has no module '" + name + "'; peft leaves it out"));
        saved.require(
                graph,
                options,
                path -> targets.allLinear() ? linear(output).contains(last(path)) : targets.matches(path));
        StateSpaceLayers.require(graph, options, path -> targets.allLinear() || targets.matches(path));
        Map<String, Boolean> chosen = new HashMap<>();
        List<CallSpan.Range> ranges = CallSpan.ranges(
                graph.nodes(),
                module -> chosen.computeIfAbsent(
                        module,
                        path -> saved.contains(path)
                                || !saved.around(path)
                                        && (parameters.containsKey(path)
                                                || (targets.allLinear() ? isLeaf(path) : targets.matches(path)))));
        List<CallSpan> calls = CallSpan.of(graph, ranges);
        Map<CallSpan, LayerKind> kinds = new LinkedHashMap<>();
        for (CallSpan call : calls) {
            String path = call.module().path();
            if (!saved.contains(path) && !parameters.containsKey(path)) {
                kind(call, targets.allLinear(), output).ifPresent(kind -> kinds.put(call, kind));
            }
        }
        Projection shared = shared(kinds);
        for (int i = 0; i < calls.size(); i++) {
            CallSpan call = calls.get(i);
            String path = call.module().path();
            if (saved.contains(path)) {
                rewritten.put(ranges.get(i), save(call));
            } else if (parameters.containsKey(path)) {
                rewritten.put(ranges.get(i), adapt(call, parameters.get(path), asked));
            } else {
                LayerKind kind = kinds.get(call);
                if (kind != null) {
                    rewritten.put(ranges.get(i), adapt(call, kind, shared));
                }
            }
        }
        return result(ranges);
    }

    /** The kind of a layer that is adapted; {@code all-linear} leaves others out. */
    private static Optional<LayerKind> kind(CallSpan call, boolean allLinear, OutputLayer output) {
        Optional<LayerKind> kind = LayerKind.of(call);
        boolean left = allLinear
                && (kind.isEmpty()
                        || !kind.get().isLinear()
                        || output.is(call.module().path()));
        return left ? Optional.empty() : Optional.of(kind.orElseThrow(() -> unsupported(call)));
    }

    private @Nullable Projection shared(Map<CallSpan, LayerKind> kinds) {
        boolean shares = options.method() == AdapterMethod.VERA && !kinds.isEmpty();
        return shares
                ? Projection.of(kinds.entrySet().stream()
                        .map(e -> layer(e.getKey(), e.getValue()))
                        .toList())
                : null;
    }

    private static UserInputException unsupported(CallSpan call) {
        String type = call.module().type();
        return new UserInputException("`targets`: peft makes no adapter for '"
                + call.module().path() + "', a " + type.substring(type.lastIndexOf('.') + 1));
    }

    /** Last parts of the paths of linear layers but the output's. */
    private Set<String> linear(OutputLayer output) {
        Set<String> out = new LinkedHashSet<>();
        for (CallSpan call : CallSpan.of(graph, CallSpan.ranges(graph.nodes(), this::isLeaf))) {
            String path = call.module().path();
            if (LayerKind.of(call).filter(LayerKind::isLinear).isPresent() && !output.is(path)) {
                out.add(last(path));
            }
        }
        return out;
    }

    private static String last(String path) {
        return path.substring(path.lastIndexOf('.') + 1);
    }

    private List<Node> adapt(CallSpan call, Map<String, HeldTensor> parameters, FusedExperts asked) {
        LoraParameters layers = LoraParameters.of(call, parameters, asked, run);
        if (!wrappings.containsKey(call.module().path())) {
            wrap(layers.wrapping());
        }
        return layers.write();
    }

    private boolean isLeaf(String path) {
        return graph.held().tensors().containsKey(path + ".weight");
    }

    private List<Node> adapt(CallSpan call, LayerKind kind, @Nullable Projection shared) {
        Layer layer = layer(call, kind);
        AdapterLayer adapter = AdapterLayer.of(layer, call, options, run, shared);
        if (!wrappings.containsKey(layer.path())) {
            wrap(adapter.wrapping());
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

    private void wrap(Wrapping wrapping) {
        wrappings.put(wrapping.path(), wrapping);
        DType madeIn = wrapping.made().get(0).type();
        for (Wrapping.Added t : wrapping.tensors()) {
            DType type = isMagnitude(t.name()) && run.engine() == null
                    ? run.wideType(madeIn, options)
                    : run.adapterType(madeIn, options);
            DType own = t.own() == null ? type : t.own();
            HeldTensor held =
                    new HeldTensor(t.kind(), WrappedState.meta(t.sizes(), own, t.trained()), true, t.value(), t.name());
            added.put(t.name(), held.of(own).later());
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
        // All names that begin with the path and a dot: a slash follows the dot.
        held.subMap(path + ".", path + "/").forEach((name, value) -> out.put(name.substring(path.length() + 1), value));
        return out;
    }

    private List<Node> save(CallSpan call) {
        String path = call.module().path();
        wrappings.computeIfAbsent(
                path,
                k -> SavedModules.wrapping(path, graph, run.model(), added, SavedModules.isLate(path, options, graph)));
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
        Graph rewrittenGraph = Frozen.of(
                new Graph(
                        graph.name(),
                        graph.inputs(),
                        nodes,
                        graph.outputs(),
                        values,
                        graph.ints(),
                        graph.symbols(),
                        graph.state(),
                        graph.held()),
                Frozen.all(graph.held(), options));
        List<Wrapping> layers = graph.held().modules().stream()
                .map(wrappings::get)
                .filter(w -> w != null
                        && !w.tensors().isEmpty()
                        && w.tensors().get(0).name().endsWith(SvdLayer.A))
                .toList();
        boolean penalised = options.method() == AdapterMethod.ADALORA;
        return WrappedState.of(
                penalised ? SvdPenalty.in(rewrittenGraph, layers) : rewrittenGraph,
                wrappings,
                added,
                additions(),
                notes);
    }

    /** Adapters in the order of the modules, those of parameters, copies, then the adapters' conversions. */
    private List<Addition> additions() {
        List<Addition> made = new ArrayList<>();
        List<Addition> late = new ArrayList<>();
        List<Addition> copies = new ArrayList<>();
        List<Addition> heads = new ArrayList<>();
        List<Addition> conversions = new ArrayList<>();
        List<Addition> lowered = new ArrayList<>();
        for (String module : graph.held().modules()) {
            Wrapping wrapping = wrappings.get(module);
            if (wrapping == null) {
                continue;
            }
            for (Addition step : wrapping.made()) {
                boolean copy = step.kind() == Addition.Kind.COPY;
                (copy ? wrapping.late() ? heads : copies : wrapping.late() ? late : made).add(step);
                DType type = run.wideType(step.type(), options);
                if (!copy && type != step.type()) {
                    conversions.add(new Addition(Addition.Kind.CONVERSION, step.tensor(), type, List.of()));
                }
                DType last = run.adapterType(step.type(), options);
                if (run.engine() == null && !copy && last != type && !isMagnitude(step.tensor())) {
                    lowered.add(new Addition(Addition.Kind.CONVERSION, step.tensor(), last, List.of()));
                }
            }
        }
        made.addAll(late);
        made.addAll(copies);
        made.addAll(conversions);
        made.addAll(heads);
        made.addAll(lowered);
        return made;
    }

    private static boolean isMagnitude(String name) {
        return name.contains("lora_magnitude_vector");
    }
}
