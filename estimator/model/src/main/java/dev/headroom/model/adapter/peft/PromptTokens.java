package dev.headroom.model.adapter.peft;

import dev.headroom.model.adapter.AdapterMethod;
import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.adapter.OuterModel;
import dev.headroom.model.adapter.peft.graph.CallSpan;
import dev.headroom.model.adapter.peft.graph.Frames;
import dev.headroom.model.adapter.peft.graph.WrappedState;
import dev.headroom.model.adapter.peft.graph.Wrapping;
import dev.headroom.model.adapter.peft.graph.Wrapping.Added;
import dev.headroom.model.dsl.Arguments;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Addition;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
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

/**
 * Trained tokens before those of the texts: a model that is given embedded tokens, with labels and a mask to go with
 * them (peft, peft_model.py, PeftModelForCausalLM.forward and get_prompt; tuners/prompt_tuning and p_tuning, model.py).
 */
final class PromptTokens {
    private static final String FILE = "peft/peft_model.py";
    private static final String ENCODER = "prompt_encoder.default";
    private static final String LINEAR = "torch.nn.modules.linear.Linear";
    private static final SymExpr BATCH = SymExpr.symbol("batch");
    private static final SymExpr SEQ = SymExpr.symbol("seq");
    private static final Node.ModuleCall AROUND = OuterModel.call("peft", "peft.peft_model.PeftModelForCausalLM");

    private final Graph graph;
    private final long tokens;
    private final boolean encoded;
    private final long width;
    private final CallSpan words;
    private final List<Node> nodes = new ArrayList<>();
    private final List<String> held = new ArrayList<>();
    private final Map<String, String> instead = new HashMap<>();
    private Node.ModuleCall inner = AROUND;
    private String text = "";
    private int line;

    private PromptTokens(Graph graph, AdapterOptions options) {
        this.graph = graph;
        this.tokens = options.virtualTokens();
        this.encoded = options.method() == AdapterMethod.P_TUNING;
        this.words = words(graph);
        String weight = words.module().path() + ".weight";
        TensorMeta table = Objects.requireNonNull(graph.held().tensors().get(weight), weight)
                .meta();
        this.width = table.sizes().get(1).evaluate(Map.of());
    }

    /** The graph of the model that is trained. */
    static Graph rewrite(Graph graph, AdapterOptions options) {
        return new PromptTokens(graph, options).graph();
    }

    private static UserInputException refused() {
        return new UserInputException("`adapter=prompt-tuning` and p-tuning: go with decoders from a config.json that"
                + " are given texts, without `task` and `packing`; take another method here");
    }

    /** The call that embeds the texts. */
    private static CallSpan words(Graph graph) {
        String ids = input(graph, "input_ids");
        for (Node n : graph.nodes()) {
            if (n.operator().equals("aten.embedding") && n.reads().contains(ids)) {
                String path = n.module();
                return CallSpan.of(graph, CallSpan.ranges(graph.nodes(), path::equals))
                        .get(0);
            }
        }
        throw refused();
    }

    private static String input(Graph graph, String name) {
        return graph.inputs().stream()
                .filter(i -> i.kind() == Graph.InputKind.USER && i.value().equals(name))
                .map(Graph.Input::value)
                .findFirst()
                .orElse("");
    }

    private Graph graph() {
        TensorMeta asked = graph.values().get(input(graph, "labels"));
        boolean classifies = asked != null && asked.sizes().size() == 1; // peft trains a copy of its head as well
        if (classifies || !input(graph, "position_ids").isEmpty()) {
            throw refused();
        }
        String embedded = words.outputs().get(0);
        before(embedded);
        List<Node> rest = new ArrayList<>(graph.nodes());
        rest.removeAll(words.nodes());
        rest.removeIf(n -> isHook(n, embedded));
        rest.forEach(n -> nodes.add(n.reading(instead)));
        line("return self.base_model(inputs_embeds=inputs_embeds, **kwargs)");
        List<Node.NamedArgument> kept = List.of(new Node.NamedArgument("a", new Argument.Values(held)));
        nodes.add(new Node(
                "prompt_held", "aten._assert_tensor_metadata.default", kept, List.of(), List.of(AROUND), text));
        return stated();
    }

    private void before(String embedded) {
        SymExpr size = SymExpr.of(tokens);
        String mask = input(graph, "attention_mask");
        if (!mask.isEmpty()) {
            line("prefix_attention_mask = torch.ones(batch_size, num_virtual_tokens).to(attention_mask.device)");
            String ones = op("aten.ones.default", "size", new SymExpr[] {BATCH, size}, "dtype", DType.FLOAT32);
            line("attention_mask = torch.cat((prefix_attention_mask, attention_mask), dim=1)");
            hold(ones, joined(mask, ones, mask));
        }
        line("words = self.word_embeddings(input_ids)");
        Map<String, String> renamed = Map.of(embedded, embedded + "_words");
        for (Node n : words.nodes()) {
            List<String> outputs =
                    n.outputs().stream().map(o -> renamed.getOrDefault(o, o)).toList();
            Node read = n.reading(renamed);
            List<Node.ModuleCall> calls = new ArrayList<>(List.of(AROUND));
            calls.addAll(n.moduleStack().subList(words.depth(), n.moduleStack().size()));
            nodes.add(new Node(
                    read.name(),
                    read.target(),
                    read.arguments(),
                    outputs,
                    calls,
                    text + Frames.from(n.stackTrace(), words.depth())));
        }
        for (Node n : graph.nodes()) {
            if (isHook(n, embedded)) {
                Node read = n.reading(renamed);
                nodes.add(
                        new Node(read.name(), read.target(), read.arguments(), read.outputs(), List.of(AROUND), text));
            }
        }
        String labels = input(graph, "labels");
        TensorMeta meta = graph.values().get(labels);
        if (meta != null && meta.sizes().size() == 2) {
            line("prefix_labels = torch.full((batch_size, num_virtual_tokens), -100).to(labels.device)");
            String none = op(
                    "aten.full.default",
                    "size",
                    new SymExpr[] {BATCH, size},
                    "fill_value",
                    -100L,
                    "dtype",
                    DType.INT64);
            line("labels = torch.cat((prefix_labels, labels), dim=1)");
            hold(none, joined(labels, none, labels));
        }
        line("prompts = self.get_prompt(batch_size=batch_size)");
        String prompts = repeated(prompts(size));
        line("prompts = prompts.to(inputs_embeds.dtype)");
        prompts = op("aten.to.dtype", "self", prompts, "dtype", new Argument.TypeOf(embedded + "_words"));
        line("words = torch.cat((prompts, words), dim=1)");
        instead.remove(embedded);
        nodes.add(node(
                embedded,
                "aten.cat.default",
                "tensors",
                new Argument.Values(List.of(prompts, embedded + "_words")),
                "dim",
                1L));
        hold(prompts, embedded);
    }

    /** Whether it lets the embedded texts require gradients. */
    private static boolean isHook(Node n, String embedded) {
        return n.operator().equals("aten.requires_grad_") && n.reads().contains(embedded);
    }

    private String joined(String name, String first, String second) {
        String out = OuterModel.lengthened(name);
        nodes.add(node(out, "aten.cat.default", "tensors", new Argument.Values(List.of(first, second)), "dim", 1L));
        instead.put(name, out);
        return out;
    }

    /** {@code prompt_encoder(prompt_tokens[:1])}. */
    private String prompts(SymExpr size) {
        String numbers = op("aten.zeros.default", "size", new SymExpr[] {BATCH, size}, "dtype", DType.INT64);
        String first = op("aten.slice.Tensor", "self", numbers, "dim", 0L, "start", 0L, "end", 1L);
        String x = op("aten.embedding.default", "weight", value(".embedding.weight"), "indices", first);
        if (!encoded) {
            return x;
        }
        for (int i = 0; i < 5; i++) {
            inner = new Node.ModuleCall("mlp" + i, ENCODER + ".mlp_head." + i, LINEAR);
            x = i % 2 == 1
                    ? op("aten.relu.default", "self", x)
                    : op(
                            "aten.linear.default",
                            "input",
                            x,
                            "weight",
                            value(".mlp_head." + i + ".weight"),
                            "bias",
                            value(".mlp_head." + i + ".bias"));
        }
        inner = AROUND;
        return x;
    }

    private String repeated(String prompts) {
        SymExpr[] counts = {BATCH, SymExpr.of(1), SymExpr.of(1)};
        return op("aten.repeat.default", "self", prompts, "repeats", counts);
    }

    private void hold(String... values) {
        held.addAll(List.of(values));
    }

    private static String value(String name) {
        return Wrapping.value(ENCODER + name);
    }

    private void line(String statement) {
        line++;
        text = Frames.line(FILE, line, statement);
    }

    private String op(String target, Object... arguments) {
        String out = "prompt" + nodes.size();
        nodes.add(node(out, target, arguments));
        return out;
    }

    private Node node(String out, String target, Object... arguments) {
        List<Node.NamedArgument> list = new ArrayList<>();
        for (int i = 0; i < arguments.length; i += 2) {
            Object given = arguments[i + 1];
            list.add(new Node.NamedArgument(
                    (String) arguments[i],
                    given instanceof String name ? new Argument.Value(name) : Arguments.of(given)));
        }
        boolean own = inner.equals(AROUND);
        return new Node(
                out,
                target,
                list,
                List.of(out),
                own ? List.of(AROUND) : List.of(AROUND, inner),
                own ? text : text + Frames.line(FILE, 0, "return"));
    }

    private List<Added> parameters() {
        List<Added> out = new ArrayList<>(List.of(new Added(ENCODER + ".embedding.weight", List.of(tokens, width))));
        for (int i = 0; encoded && i < 5; i += 2) {
            out.add(new Added(ENCODER + ".mlp_head." + i + ".weight", List.of(width, width)));
            out.add(new Added(ENCODER + ".mlp_head." + i + ".bias", List.of(width)));
        }
        return out;
    }

    /** The frozen model with the prompt's parameters behind its own, and inputs that are shorter than what it sees. */
    private Graph stated() {
        ModelState state = graph.held();
        List<String> modules = new ArrayList<>(state.modules());
        modules.addAll(List.of("prompt_encoder", ENCODER, ENCODER + ".embedding"));
        if (encoded) {
            modules.add(ENCODER + ".mlp_head");
            for (int i = 0; i < 5; i++) {
                modules.add(ENCODER + ".mlp_head." + i);
            }
        }
        Map<String, HeldTensor> tensors = new LinkedHashMap<>(state.tensors());
        Map<String, TensorMeta> values = new LinkedHashMap<>(graph.values());
        List<Graph.Input> inputs = new ArrayList<>();
        List<Addition> additions = new ArrayList<>(state.additions());
        List<String> persistent = new ArrayList<>(graph.state());
        for (Added p : parameters()) {
            TensorMeta meta = WrappedState.meta(p.sizes(), DType.FLOAT32, true);
            tensors.put(
                    p.name(),
                    new HeldTensor(p.kind(), meta, true, p.value(), p.name())
                            .of(DType.FLOAT32)
                            .later());
            values.put(p.value(), meta);
            inputs.add(new Graph.Input(p.kind(), p.value(), p.name(), true));
            additions.add(p.made(DType.FLOAT32));
            persistent.add(p.name());
        }
        for (Graph.Input in : graph.inputs()) {
            inputs.add(in);
            TensorMeta meta = values.get(in.value());
            if (in.kind() == Graph.InputKind.USER && meta != null) {
                values.put(in.value(), shorter(meta));
            }
        }
        return new Graph(
                graph.name(),
                inputs,
                nodes,
                graph.outputs(),
                values,
                graph.ints(),
                graph.symbols(),
                persistent,
                new ModelState(modules, tensors, state.notes(), state.loaded(), additions));
    }

    private TensorMeta shorter(TensorMeta meta) {
        SymExpr texts = SymExpr.call("Add", SEQ, SymExpr.of(-tokens));
        List<SymExpr> sizes =
                meta.sizes().stream().map(s -> s.equals(SEQ) ? texts : s).toList();
        List<SymExpr> strides =
                meta.strides().stream().map(s -> s.equals(SEQ) ? texts : s).toList();
        return new TensorMeta(meta.dtype(), sizes, strides, meta.storageOffset(), meta.requiresGrad());
    }
}
