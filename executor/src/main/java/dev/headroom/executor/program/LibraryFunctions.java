package dev.headroom.executor.program;

import dev.headroom.model.graph.Graph;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Variables of library functions that {@code forward} calls and that leave no lines in a stack trace: what they hold
 * beyond its last use.
 */
final class LibraryFunctions {
    /**
     * A variable.
     *
     * @param call in the line that calls the function
     * @param operator whose result it holds, {@code #n} for the n-th one in the statement alone
     * @param until the operator at which it is assigned again or its function returns; "" for the end of the statement
     */
    private record Variable(String call, String operator, String until) {}

    private static final List<Variable> VARIABLES = List.of(
            // torchvision 0.29, models/densenet.py, _DenseLayer.bn_function: concated_features
            new Variable("self.bn_function(", "aten.cat", ""),
            // torchvision 0.29, models/swin_transformer.py, _get_relative_position_bias
            new Variable("get_relative_position_bias(", "aten.index", ""),
            // torchvision 0.29, models/swin_transformer.py, shifted_window_attention: x, q, k, v, attn, attn_mask
            new Variable("shifted_window_attention(", "aten.reshape#1", "aten.reshape#-2"),
            new Variable("shifted_window_attention(", "aten.select", ""),
            new Variable("shifted_window_attention(", "aten.mul", ""),
            new Variable("shifted_window_attention(", "aten.dropout#1", ""),
            new Variable("shifted_window_attention(", "aten.sub", "aten.masked_fill#2"),
            new Variable("shifted_window_attention(", "aten.masked_fill#2", ""),
            // transformers 5.17, masking_utils.py, find_packed_sequence_indices
            new Variable("mask", "aten.sub#1", "aten.all"),
            new Variable("mask", "aten.diff", "aten.all"),
            new Variable("mask", "aten.cumsum", "aten.all"),
            // transformers 5.17, loss/loss_utils.py, ForCausalLMLoss: labels
            new Variable("self.loss_function(", "aten.pad", ""),
            // transformers 5.17, models/t5/modeling_t5.py, compute_bias and _relative_position_bucket
            new Variable("self.compute_bias(", "aten.add#1", ""),
            new Variable("self.compute_bias(", "aten.arange#2", ""),
            new Variable("self.compute_bias(", "aten.sub", ""),
            new Variable("self.compute_bias(", "aten.abs", "aten.add_"),
            new Variable("self.compute_bias(", "aten.neg", "aten.add#-1"),
            new Variable("self.compute_bias(", "aten.lt", "aten.add_"),
            new Variable("self.compute_bias(", "aten.lt", "aten.add#-1"),
            new Variable("self.compute_bias(", "aten.min#-1", "aten.add_"),
            new Variable("self.compute_bias(", "aten.min#-1", "aten.add#-1"),
            new Variable("self.compute_bias(", "aten.add_", ""),
            // transformers 5.17, integrations/sdpa_attention.py, sdpa_attention_forward: attention_mask, key, value;
            // and
            // eager_attention_forward of each model
            new Variable("attention_interface(", "aten.where", ""),
            new Variable("attention_interface(", "aten.reshape", ""));

    private LibraryFunctions() {}

    /**
     * Functions whose variables go after their last use: torch/nn/functional.py deletes them, transformers 5.17,
     * apply_rotary_pos_emb of each model, gives them their next values.
     */
    private static final List<String> TIDY = List.of("F.multi_head_attention_forward(", "apply_rotary_pos_emb(");

    /** Whether the variables of a function that a line calls are known. */
    static boolean knows(SourceLine line) {
        return TIDY.stream().anyMatch(line.text()::contains)
                || VARIABLES.stream().anyMatch(v -> line.text().contains(v.call));
    }

    /** Keeps what such variables hold. */
    static void keep(Graph graph, CallTree tree, Map<String, Local> locals) {
        for (Call call : tree.calls()) {
            for (Call.Statement s : call.statements) {
                Map<String, List<Integer>> operators = null;
                for (Variable v : VARIABLES) {
                    if (s.line.text().contains(v.call)) {
                        operators = operators == null ? operators(graph, tree, call, s) : operators;
                        keep(graph, s, v, operators, locals);
                    }
                }
            }
        }
    }

    private static void keep(
            Graph graph,
            Call.Statement statement,
            Variable variable,
            Map<String, List<Integer>> operators,
            Map<String, Local> locals) {
        for (int node : found(variable.operator, operators)) {
            int until = statement.last();
            if (!variable.until.isEmpty()) {
                until = found(variable.until, operators).stream()
                        .filter(n -> n > node)
                        .findFirst()
                        .orElse(-1);
            }
            for (String o : graph.nodes().get(node).outputs()) {
                Local v = locals.get(o);
                if (v != null) {
                    v.kept = Math.max(v.kept, until);
                }
            }
        }
    }

    private static List<Integer> found(String operator, Map<String, List<Integer>> operators) {
        int hash = operator.indexOf('#');
        if (hash < 0) {
            return operators.getOrDefault(operator, List.of());
        }
        List<Integer> all = operators.getOrDefault(operator.substring(0, hash), List.of());
        int n = Integer.parseInt(operator.substring(hash + 1));
        int at = n > 0 ? n - 1 : all.size() + n;
        return at >= 0 && at < all.size() ? List.of(all.get(at)) : List.of();
    }

    /** The nodes of a statement by operator, but not those of calls in it. */
    private static Map<String, List<Integer>> operators(
            Graph graph, CallTree tree, Call call, Call.Statement statement) {
        Map<String, List<Integer>> out = new HashMap<>();
        for (int i = statement.first(); i <= statement.last(); i++) {
            if (tree.callOf(i) == call) {
                out.computeIfAbsent(graph.nodes().get(i).operator(), k -> new ArrayList<>())
                        .add(i);
            }
        }
        return out;
    }
}
