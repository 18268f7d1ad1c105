package dev.headroom.model.adapter.peft;

import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.adapter.peft.graph.Wrapping;
import dev.headroom.model.adapter.peft.graph.Wrapping.Added;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.generation.GivenCache;
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
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Trained keys and values before those of the texts: a model that is given a cache, and a longer mask to go with it
 * (peft, peft_model.py, _prefix_tuning_forward and get_prompt; tuners/prefix_tuning/model.py).
 */
final class PrefixTuning {
    private static final String MASK = "attention_mask";
    private static final SymExpr BATCH = SymExpr.symbol("batch");

    private final Graph graph;
    private final SymExpr tokens;
    private final boolean projected;
    private final OuterWriter out = new OuterWriter("prefix");
    private final int layers;
    private final List<SymExpr> sizes;
    private final DType type;
    private final long width;

    private PrefixTuning(Graph graph, AdapterOptions options) {
        this.graph = graph;
        this.tokens = SymExpr.of(options.prefixTokens());
        this.projected = options.projected();
        int count = 0;
        while (graph.values().containsKey(GivenCache.keys(count))) {
            count++;
        }
        layers = count;
        Set<String> read =
                graph.nodes().stream().flatMap(n -> n.reads().stream()).collect(Collectors.toSet());
        for (int i = 0; i < layers; i++) {
            if (!read.contains(GivenCache.keys(i))) {
                throw refused();
            }
        }
        if (layers == 0) {
            throw refused();
        }
        TensorMeta one = Objects.requireNonNull(graph.values().get(GivenCache.keys(0)));
        sizes = one.sizes();
        type = one.dtype();
        width = sizes.get(1).evaluate(Map.of()) * sizes.get(3).evaluate(Map.of());
    }

    /** The graph of the model that is trained. */
    static Graph rewrite(Graph graph, AdapterOptions options) {
        return new PrefixTuning(graph, options).graph();
    }

    private static UserInputException refused() {
        return new UserInputException("`adapter=prefix-tuning` goes with decoders from a config.json, each of whose"
                + " layers has keys and values of its own; take another method here");
    }

    private Graph graph() {
        Map<String, String> instead = joined();
        List<String> held = new ArrayList<>();
        boolean masked = graph.values().containsKey(MASK);
        if (masked) {
            out.line("prefix_attention_mask = torch.ones(batch_size, num_virtual_tokens).to(attention_mask.device)");
            String ones = out.op("aten.ones.default", "size", new SymExpr[] {BATCH, tokens}, "dtype", DType.FLOAT32);
            out.line("attention_mask = torch.cat((prefix_attention_mask, attention_mask), dim=1)");
            String longer = out.op("aten.cat.default", "tensors", new Argument.Values(List.of(ones, MASK)), "dim", 1L);
            instead.put(MASK, longer);
            held.addAll(List.of(ones, longer));
        }
        prompt();
        for (Node n : graph.nodes()) {
            Node read = n.reading(instead);
            List<String> outputs =
                    n.outputs().stream().map(o -> instead.getOrDefault(o, o)).toList();
            out.add(read.withOutputs(outputs));
        }
        if (masked) {
            out.line("return self._prefix_tuning_forward(input_ids=input_ids, **kwargs)");
            out.hold(held);
        }
        return stated(instead);
    }

    /** New names of what layers put into the cache. */
    private Map<String, String> joined() {
        Map<String, String> out = new HashMap<>();
        for (Node n : graph.nodes()) {
            for (String read : n.reads()) {
                if (GivenCache.gives(read)) {
                    out.put(Objects.requireNonNull(n.outputs().get(0)), GivenCache.joined(read));
                }
            }
        }
        return out;
    }

    /** {@code get_prompt}, which ends with the cache. */
    private void prompt() {
        out.line("self.get_prompt(batch_size)");
        out.within(new Node.ModuleCall("get_prompt", "base_model", Node.ModuleCall.FUNCTION));
        out.innerLine("prompt_tokens = self.prompt_tokens.unsqueeze(0).expand(batch_size, -1).to(device)");
        String ids = out.op("aten.zeros.default", "size", new SymExpr[] {BATCH, tokens}, "dtype", DType.INT64);
        out.innerLine("past_key_values = prompt_encoder(prompt_tokens)");
        String x = encoded(ids);
        out.innerLine("past_key_values = past_key_values.to(self.base_model_torch_dtype)");
        x = out.op("aten.to.dtype", "self", x, "dtype", type);
        out.innerLine("past_key_values = past_key_values.view(batch_size, tokens, layers * 2, heads, size)");
        SymExpr[] five = {BATCH, tokens, SymExpr.of(2L * layers), sizes.get(1), sizes.get(3)};
        x = out.op("aten.view.default", "self", x, "size", five);
        out.innerLine("past_key_values = past_key_values.permute([2, 0, 3, 1, 4]).split(2)");
        x = out.op("aten.permute.default", "self", x, "dims", new long[] {2, 0, 3, 1, 4});
        List<String> pairs = out.ops("aten.split.Tensor", layers, "self", x, "split_size", 2L, "dim", 0L);
        out.innerLine("DynamicCache(past_key_values)");
        for (int i = 0; i < layers; i++) {
            String pair = out.op("aten.slice.Tensor", "self", pairs.get(i), "dim", 0L, "start", 0L, "end", 2L);
            List<String> both = out.ops("aten.unbind.int", 2, "self", pair, "dim", 0L);
            copied(GivenCache.keys(i), both.get(0));
            copied(GivenCache.values(i), both.get(1));
        }
        out.within(null);
    }

    /** Joined to nothing. */
    private void copied(String name, String from) {
        String none = out.op("aten.empty.memory_format", "size", new long[] {0}, "dtype", type);
        Argument both = new Argument.Values(List.of(none, from));
        out.add(out.node(name, "aten.cat.default", "tensors", both, "dim", -2L));
    }

    private String encoded(String ids) {
        String rows = out.op("aten.embedding.default", "weight", value("embedding.weight"), "indices", ids);
        if (!projected) {
            return rows;
        }
        String x = linear(rows, "transform.0");
        x = out.op("aten.tanh.default", "self", x);
        return linear(x, "transform.2");
    }

    private String linear(String x, String module) {
        return out.op(
                "aten.linear.default",
                "input",
                x,
                "weight",
                value(module + ".weight"),
                "bias",
                value(module + ".bias"));
    }

    private static String value(String name) {
        return Wrapping.value(path(name));
    }

    private static String path(String name) {
        return OuterWriter.ENCODER + "." + name;
    }

    private Graph stated(Map<String, String> renamed) {
        long all = 2L * layers * width;
        long count = tokens.evaluate(Map.of());
        List<Added> parameters = new ArrayList<>();
        List<String> modules = new ArrayList<>();
        parameters.add(new Added(path("embedding.weight"), List.of(count, projected ? width : all)));
        if (projected) {
            modules.addAll(List.of("transform", "transform.0", "transform.1", "transform.2"));
            parameters.add(new Added(path("transform.0.weight"), List.of(width, width)));
            parameters.add(new Added(path("transform.0.bias"), List.of(width)));
            parameters.add(new Added(path("transform.2.weight"), List.of(all, width)));
            parameters.add(new Added(path("transform.2.bias"), List.of(all)));
        }
        Map<String, TensorMeta> values = new LinkedHashMap<>(graph.values());
        List<Graph.Input> inputs = new ArrayList<>(graph.inputs());
        for (int i = 0; i < layers; i++) {
            Set<String> given = Set.of(GivenCache.keys(i), GivenCache.values(i));
            values.keySet().removeAll(given);
            inputs.removeIf(in -> given.contains(in.value()));
        }
        List<Graph.Output> outputs = graph.outputs().stream()
                .map(o -> new Graph.Output(o.kind(), renamed.getOrDefault(o.value(), o.value()), o.target()))
                .toList();
        return out.around(graph.withOutputs(outputs), values, inputs, modules, parameters);
    }
}
