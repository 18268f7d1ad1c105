package dev.headroom.model.adapter.peft;

import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.adapter.peft.Wrapping.Added;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Addition;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * LoRA layers around a module, one for each of its parameters that is targeted: while the module runs, it sees the
 * parameter with its adapter added, made anew when it is first asked for, and once before to look at the outcome (peft,
 * tuners/lora/layer.py, ParamWrapper; torch/nn/utils/parametrize.py).
 */
final class LoraParameters {
    private static final String WRAPPER = "peft.tuners.lora.layer.ParamWrapper";
    private static final Set<String> TURNING = Set.of("aten.transpose", "aten.linear", "aten.t", "aten.mT");

    private static final Set<String> GROUPED =
            Set.of("aten.transpose", "aten._grouped_mm", "transformers.grouped_mm_fallback");

    private static final Set<String> AFTER_NAMING =
            Set.of("aten.transpose", "aten.to", "aten.index", "aten.masked_fill_");

    private final CallSpan call;
    private final AdapterOptions options;
    private final Surroundings run;
    private final Set<String> doubled;

    /** By name in the module, in its order: the innermost layer's first. */
    private final Map<String, HeldTensor> targeted;

    private LoraParameters(CallSpan call, Map<String, HeldTensor> targeted, FusedExperts asked, Surroundings run) {
        this.call = call;
        this.targeted = targeted;
        this.options = asked.options();
        this.doubled = asked.doubled();
        this.run = run;
    }

    /** Refuses names that no parameter has. */
    static void require(Graph graph, AdapterOptions options) {
        options.targetParameters()
                .forEach(t -> Targets.requireSome(
                        "--target-parameters",
                        "parameter",
                        t,
                        graph.held().tensors().keySet(),
                        name -> Targets.ends(name, t)));
    }

    /** The targeted parameters by module, then by name in it. */
    static Map<String, Map<String, HeldTensor>> targeted(Graph graph, AdapterOptions options) {
        Map<String, Map<String, HeldTensor>> out = new HashMap<>();
        graph.held().tensors().forEach((name, held) -> {
            boolean meant = held.kind() == Graph.InputKind.PARAMETER
                    && options.targetParameters().stream().anyMatch(t -> Targets.ends(name, t));
            String owner = ModelState.owner(name);
            if (meant) {
                out.computeIfAbsent(owner, k -> new LinkedHashMap<>())
                        .put(owner.isEmpty() ? name : name.substring(owner.length() + 1), held);
            }
        });
        return out;
    }

    static LoraParameters of(CallSpan call, Map<String, HeldTensor> targeted, FusedExperts asked, Surroundings run) {
        AdapterOptions options = asked.options();
        for (Map.Entry<String, HeldTensor> e : targeted.entrySet()) {
            int dimensions = e.getValue().meta().sizes().size();
            String name = call.module().path() + "." + e.getKey();
            if (dimensions < 2 || dimensions > 3) {
                throw new UserInputException("--target-parameters: '" + name + "' has " + dimensions
                        + " dimensions; peft takes parameters of 2 or 3");
            }
            if (options.dora() || options.drops()) {
                throw new UserInputException("--target-parameters: peft takes no "
                        + (options.dora() ? "--dora" : "--lora-dropout") + " with them");
            }
        }
        return new LoraParameters(call, targeted, asked, run);
    }

    /** Elements of one parameter: how many matrices it stacks, and their inputs and results. */
    private record Stack(long matrices, long in, long out, boolean transposed) {}

    private Stack stack(HeldTensor held) {
        List<Long> sizes =
                held.meta().sizes().stream().map(s -> s.evaluate(Map.of())).toList();
        if (sizes.size() == 2) {
            return new Stack(1, sizes.get(1), sizes.get(0), false);
        }
        boolean transposed = !isTurned(held.givenValue());
        return new Stack(sizes.get(0), sizes.get(transposed ? 1 : 2), sizes.get(transposed ? 2 : 1), transposed);
    }

    /** Whether the module turns the matrices around before they meet the rows, as {@code F.linear} does. */
    private boolean isTurned(String value) {
        for (Node n : call.nodes()) {
            if (n.reads().contains(value)) {
                boolean part =
                        n.operator().equals("aten.select") || n.operator().equals("aten.index");
                return TURNING.contains(n.operator())
                        || part && isTurned(n.outputs().get(0));
            }
        }
        return true;
    }

    private long rank(String name) {
        return (long) options.rank() * (doubled.contains(name) ? 2 : 1);
    }

    /** The wrapper's path in the outermost one. */
    private static String nested(int depth) {
        return "base_layer.".repeat(depth);
    }

    Wrapping wrapping() {
        String path = call.module().path();
        List<Added> tensors = new ArrayList<>();
        List<String> modules = new ArrayList<>();
        List<Addition> made = new ArrayList<>();
        int depth = targeted.size() - 1;
        for (Map.Entry<String, HeldTensor> e : targeted.entrySet()) {
            HeldTensor held = e.getValue();
            String own = nested(depth--);
            LoraLayer.MODULES.forEach(m -> modules.add(own + m));
            Stack stack = stack(held);
            long rank = rank(e.getKey()) * stack.matrices;
            List<Added> pair = List.of(
                    new Added(path + "." + own + "lora_A.default.weight", List.of(rank, stack.in)),
                    new Added(path + "." + own + "lora_B.default.weight", List.of(stack.out, rank)));
            tensors.addAll(pair);
            pair.forEach(t -> made.add(new Addition(Addition.Kind.NEW, t.name(), held.type(run.model()), List.of())));
        }
        return new Wrapping(path, nested(targeted.size()).replaceAll("\\.$", ""), modules, tensors, made, true);
    }

    List<Node> write() {
        LayerWriter w = new LayerWriter(call, WRAPPER);
        Map<String, String> instead = new HashMap<>();
        Map<String, Factors> factors = new HashMap<>();
        List<String> names = new ArrayList<>(targeted.keySet());
        for (int i = names.size() - 1; i >= 0; i--) {
            HeldTensor held = Objects.requireNonNull(targeted.get(names.get(i)));
            String own = nested(names.size() - 1 - i);
            if (!own.isEmpty()) {
                w.enter(own.substring(0, own.length() - 1), WRAPPER, "return");
            }
            Factors made = factors(w, call.module().path() + "." + own, held, rank(names.get(i)));
            w.line("register_parametrization(base_layer, self.parameter_name, proxy)");
            sum(w, held, made);
            w.line("result = self.base_layer(x, *args, **kwargs)");
            instead.put(held.givenValue(), w.result() + "_" + names.get(i));
            factors.put(held.givenValue(), made);
        }
        int begin = w.nodes().size();
        w.whole(nested(names.size()).replaceAll("\\.$", ""), instead);
        List<Node> nodes = w.nodes();
        targeted.values()
                .forEach(held -> insert(
                        w,
                        begin,
                        held,
                        Objects.requireNonNull(instead.get(held.givenValue())),
                        Objects.requireNonNull(factors.get(held.givenValue()))));
        for (int i = 1; i < names.size(); i++) {
            w.leave();
        }
        w.line("return result");
        w.note(List.copyOf(instead.values()));
        return nodes;
    }

    /** The two matrices that are multiplied, or their product where there is one matrix only. */
    private record Factors(String first, String second) {}

    private Factors factors(LayerWriter w, String path, HeldTensor held, long rank) {
        Stack stack = stack(held);
        Argument type = new Argument.TypeOf(held.givenValue());
        String a = Wrapping.value(path + "lora_A.default.weight");
        String b = Wrapping.value(path + "lora_B.default.weight");
        if (stack.matrices == 1) {
            w.line("delta_weight = (weight_B @ weight_A) * scaling");
            String product = LoraLayer.scaled(w, options, w.op("aten.matmul.default", "self", b, "other", a));
            w.line("delta_weight = delta_weight.to(param.device, param.dtype)");
            return new Factors(w.op("aten.to.dtype", "self", product, "dtype", type), "");
        }
        w.line("lhs, rhs = self.get_delta_factors(adapters[0])");
        String first = w.op("aten.reshape.default", "self", a, "shape", new long[] {stack.matrices, rank, stack.in});
        String second = w.op("aten.reshape.default", "self", b, "shape", new long[] {stack.out, rank, stack.matrices});
        second = w.op("aten.permute.default", "self", second, "dims", new long[] {2, 0, 1});
        if (stack.transposed) {
            first = w.op("aten.transpose.int", "self", first, "dim0", -2L, "dim1", -1L);
            second = w.op("aten.transpose.int", "self", second, "dim0", -2L, "dim1", -1L);
        }
        String lhs = w.op("aten.to.dtype", "self", stack.transposed ? first : second, "dtype", type);
        String rhs = w.op("aten.to.dtype", "self", stack.transposed ? second : first, "dtype", type);
        return new Factors(lhs, rhs);
    }

    /** The parameter with its adapter; autocast leaves it alone. */
    private String sum(LayerWriter w, HeldTensor held, Factors f) {
        return f.second.isEmpty()
                ? w.op("aten.add.Tensor", "self", held.givenValue(), "other", f.first)
                : w.op(
                        "aten.baddbmm.outside_autocast",
                        "self",
                        held.givenValue(),
                        "batch1",
                        f.first,
                        "batch2",
                        f.second,
                        "alpha",
                        options.scaling());
    }

    /** Makes the sum where the module first asks for it. */
    private void insert(LayerWriter w, int begin, HeldTensor held, String value, Factors f) {
        List<Node> nodes = w.nodes();
        for (int i = begin; i < nodes.size(); i++) {
            Node reader = nodes.get(i);
            if (reader.reads().contains(value)) {
                sum(w, held, f);
                Node made = nodes.remove(nodes.size() - 1);
                nodes.add(
                        GROUPED.contains(reader.operator()) ? asked(nodes, i) : i,
                        new Node(
                                value,
                                made.target(),
                                made.arguments(),
                                List.of(value),
                                reader.moduleStack(),
                                reader.stackTrace()));
                return;
            }
        }
    }

    /** The grouped product's weights have a name before rows are masked and biases are picked (integrations/moe.py). */
    private static int asked(List<Node> nodes, int reader) {
        int at = reader;
        while (AFTER_NAMING.contains(nodes.get(at - 1).operator())) {
            at--;
        }
        return at;
    }
}
