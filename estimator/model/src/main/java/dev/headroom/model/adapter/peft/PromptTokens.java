package dev.headroom.model.adapter.peft;

import dev.headroom.model.adapter.AdapterMethod;
import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.adapter.OuterModel;
import dev.headroom.model.adapter.peft.graph.CallSpan;
import dev.headroom.model.adapter.peft.graph.Frames;
import dev.headroom.model.adapter.peft.graph.Wrapping;
import dev.headroom.model.adapter.peft.graph.Wrapping.Added;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
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
    private static final String LINEAR = "torch.nn.modules.linear.Linear";
    private static final SymExpr BATCH = SymExpr.symbol("batch");
    private static final SymExpr SEQ = SymExpr.symbol("seq");

    private final Graph graph;
    private final long tokens;
    private final boolean encoded;
    private final long width;
    private final CallSpan words;
    private final OuterWriter out = new OuterWriter("prompt");
    private final List<String> held = new ArrayList<>();
    private final Map<String, String> instead = new HashMap<>();

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
        rest.forEach(n -> out.add(n.reading(instead)));
        out.line("return self.base_model(inputs_embeds=inputs_embeds, **kwargs)");
        out.hold(held);
        return stated();
    }

    private void before(String embedded) {
        SymExpr size = SymExpr.of(tokens);
        String mask = input(graph, "attention_mask");
        if (!mask.isEmpty()) {
            out.line("prefix_attention_mask = torch.ones(batch_size, num_virtual_tokens).to(attention_mask.device)");
            String ones = out.op("aten.ones.default", "size", new SymExpr[] {BATCH, size}, "dtype", DType.FLOAT32);
            out.line("attention_mask = torch.cat((prefix_attention_mask, attention_mask), dim=1)");
            hold(ones, joined(mask, ones, mask));
        }
        out.line("words = self.word_embeddings(input_ids)");
        Map<String, String> renamed = Map.of(embedded, embedded + "_words");
        for (Node n : words.nodes()) {
            List<String> outputs =
                    n.outputs().stream().map(o -> renamed.getOrDefault(o, o)).toList();
            Node read = n.reading(renamed);
            List<Node.ModuleCall> calls = new ArrayList<>(List.of(OuterWriter.AROUND));
            calls.addAll(n.moduleStack().subList(words.depth(), n.moduleStack().size()));
            out.add(new Node(
                    read.name(),
                    read.target(),
                    read.arguments(),
                    outputs,
                    calls,
                    out.text() + Frames.from(n.stackTrace(), words.depth())));
        }
        for (Node n : graph.nodes()) {
            if (isHook(n, embedded)) {
                Node read = n.reading(renamed);
                out.add(read.withModuleStack(List.of(OuterWriter.AROUND)).withStackTrace(out.text()));
            }
        }
        String labels = input(graph, "labels");
        TensorMeta meta = graph.values().get(labels);
        if (meta != null && meta.sizes().size() == 2) {
            out.line("prefix_labels = torch.full((batch_size, num_virtual_tokens), -100).to(labels.device)");
            String none = out.op(
                    "aten.full.default",
                    "size",
                    new SymExpr[] {BATCH, size},
                    "fill_value",
                    -100L,
                    "dtype",
                    DType.INT64);
            out.line("labels = torch.cat((prefix_labels, labels), dim=1)");
            hold(none, joined(labels, none, labels));
        }
        out.line("prompts = self.get_prompt(batch_size=batch_size)");
        String prompts = repeated(prompts(size));
        out.line("prompts = prompts.to(inputs_embeds.dtype)");
        prompts = out.op("aten.to.dtype", "self", prompts, "dtype", new Argument.TypeOf(embedded + "_words"));
        out.line("words = torch.cat((prompts, words), dim=1)");
        instead.remove(embedded);
        out.add(out.node(
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
        String longer = OuterModel.lengthened(name);
        out.add(out.node(
                longer, "aten.cat.default", "tensors", new Argument.Values(List.of(first, second)), "dim", 1L));
        instead.put(name, longer);
        return longer;
    }

    /** {@code prompt_encoder(prompt_tokens[:1])}. */
    private String prompts(SymExpr size) {
        String numbers = out.op("aten.zeros.default", "size", new SymExpr[] {BATCH, size}, "dtype", DType.INT64);
        String first = out.op("aten.slice.Tensor", "self", numbers, "dim", 0L, "start", 0L, "end", 1L);
        String x = out.op("aten.embedding.default", "weight", value(".embedding.weight"), "indices", first);
        if (!encoded) {
            return x;
        }
        for (int i = 0; i < 5; i++) {
            out.within(new Node.ModuleCall("mlp" + i, OuterWriter.ENCODER + ".mlp_head." + i, LINEAR));
            x = i % 2 == 1
                    ? out.op("aten.relu.default", "self", x)
                    : out.op(
                            "aten.linear.default",
                            "input",
                            x,
                            "weight",
                            value(".mlp_head." + i + ".weight"),
                            "bias",
                            value(".mlp_head." + i + ".bias"));
        }
        out.within(null);
        return x;
    }

    private String repeated(String prompts) {
        SymExpr[] counts = {BATCH, SymExpr.of(1), SymExpr.of(1)};
        return out.op("aten.repeat.default", "self", prompts, "repeats", counts);
    }

    private void hold(String... values) {
        held.addAll(List.of(values));
    }

    private static String value(String name) {
        return Wrapping.value(OuterWriter.ENCODER + name);
    }

    private List<Added> parameters() {
        List<Added> all =
                new ArrayList<>(List.of(new Added(OuterWriter.ENCODER + ".embedding.weight", List.of(tokens, width))));
        for (int i = 0; encoded && i < 5; i += 2) {
            all.add(new Added(OuterWriter.ENCODER + ".mlp_head." + i + ".weight", List.of(width, width)));
            all.add(new Added(OuterWriter.ENCODER + ".mlp_head." + i + ".bias", List.of(width)));
        }
        return all;
    }

    /** The frozen model with the prompt's parameters behind its own, and inputs that are shorter than what it sees. */
    private Graph stated() {
        List<String> modules = new ArrayList<>();
        if (encoded) {
            modules.add("mlp_head");
            for (int i = 0; i < 5; i++) {
                modules.add("mlp_head." + i);
            }
        }
        Map<String, TensorMeta> values = new LinkedHashMap<>(graph.values());
        for (Graph.Input in : graph.inputs()) {
            TensorMeta meta = values.get(in.value());
            if (in.kind() == Graph.InputKind.USER && meta != null) {
                values.put(in.value(), shorter(meta));
            }
        }
        return out.around(graph, values, graph.inputs(), modules, parameters());
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
