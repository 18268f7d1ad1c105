package dev.headroom.model.quant.pass;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.quant.QuantKind;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Linear layers as bitsandbytes has them in a model that transformers loads with a {@code quantization_config}
 * (transformers/integrations/bitsandbytes.py, replace_with_bnb_linear): the weight is packed and frozen, what belongs
 * to it lies beside it, and the layer calls bitsandbytes.
 */
public final class QuantisedLinears {
    private final Graph graph;
    private final QuantisedTensors tensors;
    private final SkippedModules skipped;
    private final DType compute;
    private final Map<String, String> names = new LinkedHashMap<>();
    private final Map<String, TensorMeta> values;
    private final Map<String, List<QuantisedTensors.Part>> made = new LinkedHashMap<>();

    private QuantisedLinears(Graph graph, Scenario run) {
        this.graph = graph;
        DType stored = run.precision().dtype() == null
                ? ownType(graph)
                : run.precision().dtype();
        this.compute = run.precision().amp() == null ? stored : run.precision().amp();
        this.tensors = new QuantisedTensors(
                Objects.requireNonNull(run.quant().kind()),
                run.quant().doubleQuant(),
                stored,
                run.parallel().kind().isFullySharded() ? stored : DType.UINT8); // FSDP flattens one type
        this.skipped = new SkippedModules(graph);
        this.values = new LinkedHashMap<>(graph.values());
        graph.inputs().stream()
                .filter(in -> in.kind() == Graph.InputKind.PARAMETER)
                .forEach(in -> names.put(in.value(), in.qualifiedName()));
    }

    /** The graph with quantised weights, where the run has any. */
    public static Graph rewrite(Graph graph, Scenario run) {
        return run.quant().any() ? new QuantisedLinears(graph, run).rewritten() : graph;
    }

    /** The type of a model's parameters. */
    static DType ownType(Graph graph) {
        return graph.held().tensors().values().stream()
                .filter(held -> held.kind() == Graph.InputKind.PARAMETER)
                .map(held -> held.meta().dtype())
                .filter(DType::isFloatingPoint)
                .findFirst()
                .orElse(DType.FLOAT32);
    }

    private Graph rewritten() {
        List<LinearCall> calls = LinearCall.all(graph, names);
        List<Node> nodes = new ArrayList<>();
        int at = 0;
        for (LinearCall call : calls) {
            if (skipped.has(call.module()) || !fits(call)) {
                continue;
            }
            nodes.addAll(graph.nodes().subList(at, call.from()));
            nodes.add(quantised(call));
            at = call.to();
        }
        nodes.addAll(graph.nodes().subList(at, graph.nodes().size()));
        return graph.withInputs(inputs()).withNodes(nodes).withValues(values).withHeld(held());
    }

    private static boolean fits(LinearCall call) {
        return call.out() > 0 && call.in() > 0;
    }

    private Node quantised(LinearCall call) {
        List<QuantisedTensors.Part> parts =
                made.computeIfAbsent(call.weight(), weight -> tensors.of(call, nameOf(weight)));
        List<Node.NamedArgument> arguments = new ArrayList<>();
        arguments.add(new Node.NamedArgument("input", new Argument.Value(call.input())));
        arguments.add(new Node.NamedArgument("weight", new Argument.Value(call.weight())));
        arguments.add(new Node.NamedArgument("bias", bias(call.bias())));
        for (QuantisedTensors.Part part : parts) {
            if (!part.isWeight()) {
                arguments.add(new Node.NamedArgument(part.argument(), new Argument.Value(part.value())));
            }
            values.put(part.value(), part.meta());
        }
        arguments.add(new Node.NamedArgument(
                "shape", new Argument.Ints(List.of(SymExpr.of(call.out()), SymExpr.of(call.in())))));
        if (tensors.kind().isFourBit()) {
            arguments.add(new Node.NamedArgument(
                    "quant_type", new Argument.Text(tensors.kind() == QuantKind.NF4 ? "nf4" : "fp4")));
            arguments.add(new Node.NamedArgument("compute_dtype", new Argument.Type(compute)));
        }
        if (call.turned()) {
            arguments.add(new Node.NamedArgument("turned", new Argument.Bool(true)));
        }
        arguments.add(new Node.NamedArgument("weight_dtype", new Argument.Type(tensors.stored())));
        Node last = graph.nodes().get(call.to() - 1);
        String target = tensors.kind().isFourBit() ? QuantisedOperators.LINEAR_4BIT : QuantisedOperators.LINEAR_8BIT;
        return last.withTarget(target + ".default").withArguments(arguments);
    }

    private String nameOf(String weight) {
        return Objects.requireNonNull(names.get(weight), weight);
    }

    private static Argument bias(@Nullable String bias) {
        return bias == null ? new Argument.None() : new Argument.Value(bias);
    }

    private List<Graph.Input> inputs() {
        List<Graph.Input> out = new ArrayList<>();
        List<Graph.Input> added = new ArrayList<>();
        made.values().forEach(parts -> parts.stream()
                .filter(part -> !part.isWeight())
                .forEach(part -> added.add(
                        new Graph.Input(Graph.InputKind.CONSTANT, part.value(), part.qualifiedName(), false))));
        for (Graph.Input in : graph.inputs()) {
            if (in.kind() == Graph.InputKind.USER && !added.isEmpty()) {
                out.addAll(added);
                added.clear();
            }
            out.add(in);
        }
        out.addAll(added);
        return out;
    }

    private ModelState held() {
        Set<String> quantised = new HashSet<>();
        made.values()
                .forEach(parts -> quantised.add(ModelState.owner(parts.get(0).qualifiedName())));
        Map<String, HeldTensor> out = new LinkedHashMap<>();
        graph.held().tensors().forEach((name, held) -> {
            List<QuantisedTensors.Part> parts =
                    held.value() == null ? List.of() : made.getOrDefault(held.value(), List.of());
            if (parts.isEmpty()) {
                // new_module.requires_grad_(False) freezes a layer's bias as well.
                out.put(name, quantised.contains(ModelState.owner(name)) ? frozen(held) : held);
            }
            parts.forEach(part -> out.put(part.qualifiedName(), part.held()));
        });
        return graph.held().withTensors(out);
    }

    private static HeldTensor frozen(HeldTensor held) {
        return new HeldTensor(
                held.kind(),
                held.meta().frozen(),
                held.persistent(),
                held.value(),
                held.storage(),
                held.ownType(),
                held.loadType(),
                held.added());
    }
}
