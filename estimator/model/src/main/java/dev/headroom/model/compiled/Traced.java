package dev.headroom.model.compiled;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A graph as it was traced, before Inductor: rows of name, op, target, inputs and tensor.
 *
 * @param placeholders names of its arguments
 * @param outputs what it returns, {@code null} for what is no tensor
 * @param products matrix products of sizes that tensor cores would have padded
 * @param weights the argument that is multiplied before another is added to the product, by the name of the other
 */
record Traced(
        List<String> placeholders,
        List<@Nullable TensorMeta> outputs,
        List<Product> products,
        Map<String, String> weights) {
    private static final int COLUMNS = 5;

    /** @param where the graph stands in the file, for messages */
    static Traced of(@Nullable Object rows, Map<String, Long> symbols, String where) {
        Map<String, Row> nodes = new LinkedHashMap<>();
        List<@Nullable TensorMeta> outputs = new ArrayList<>();
        for (Object row : PlanJson.list(rows, where)) {
            Row node = Row.of(PlanJson.list(row, where), where);
            nodes.put(node.name, node);
            if (node.op.equals("output")) {
                for (String name : node.inputs) {
                    Row made = nodes.get(name);
                    outputs.add(
                            made != null && made.tensor instanceof Map<?, ?>
                                    ? PlanJson.tensor(made.tensor, symbols, where + "." + name)
                                    : null);
                }
            }
        }
        List<String> placeholders = nodes.values().stream()
                .filter(Row::isPlaceholder)
                .map(Row::name)
                .toList();
        return new Traced(placeholders, outputs, products(nodes, symbols, where), weights(nodes));
    }

    private static List<Product> products(Map<String, Row> nodes, Map<String, Long> symbols, String where) {
        List<Product> out = new ArrayList<>();
        for (Row row : nodes.values()) {
            boolean adds = row.calls("addmm") && row.inputs.size() == 3;
            if (adds || (row.calls("mm") || row.calls("bmm")) && row.inputs.size() == 2) {
                List<TensorMeta> of = new ArrayList<>();
                for (String input : row.inputs) {
                    Row made = nodes.get(input);
                    if (made != null && made.tensor instanceof Map<?, ?> tensor && isStatic(tensor)) {
                        of.add(PlanJson.tensor(tensor, symbols, where + "." + input));
                    }
                }
                int first = adds ? 1 : 0;
                if (of.size() == row.inputs.size()
                        && of.get(first).sizes().size() > 1
                        && !of.get(first + 1).sizes().isEmpty()
                        && Padding.of(of.get(first), of.get(first + 1)).any()) {
                    out.add(new Product(of.get(first), of.get(first + 1), adds ? of.get(0) : null));
                }
            }
        }
        return out;
    }

    /** Symbolic sizes are not padded. */
    private static boolean isStatic(Map<?, ?> tensor) {
        return tensor.get("shape") instanceof List<?> shape && shape.stream().allMatch(Long.class::isInstance);
    }

    private static Map<String, String> weights(Map<String, Row> nodes) {
        Map<String, String> out = new HashMap<>();
        for (Row row : nodes.values()) {
            List<String> from =
                    row.inputs.stream().map(input -> origin(input, nodes)).toList();
            if (row.calls("addmm") && from.size() == 3) {
                out.putIfAbsent(from.get(0), from.get(2));
            } else if (row.calls("add") && from.size() == 2) {
                Row product = nodes.get(from.get(0));
                if (product != null && product.calls("mm") && product.inputs.size() == 2) {
                    out.putIfAbsent(from.get(1), origin(product.inputs.get(1), nodes));
                }
            }
        }
        return out;
    }

    /** What views and casts are of; rows that read each other in a circle end it. */
    private static String origin(String name, Map<String, Row> nodes) {
        String at = name;
        Row row = nodes.get(at);
        Set<String> seen = new HashSet<>();
        while (row != null && !row.isPlaceholder() && row.inputs.size() == 1 && seen.add(at)) {
            at = row.inputs.get(0);
            row = nodes.get(at);
        }
        return at;
    }

    private record Row(
            String name,
            String op,
            String target,
            List<String> inputs,
            @Nullable Object tensor) {
        static Row of(List<?> row, String where) {
            if (row.size() < COLUMNS) {
                throw new UserInputException(where + " has a node of " + row.size() + " entries, not " + COLUMNS);
            }
            return new Row(
                    PlanJson.text(row.get(0), where),
                    PlanJson.text(row.get(1), where),
                    PlanJson.text(row.get(2), where),
                    PlanJson.texts(row.get(3), where),
                    row.get(4));
        }

        boolean isPlaceholder() {
            return op.equals("placeholder");
        }

        boolean calls(String operator) {
            return target.startsWith("aten." + operator + ".");
        }
    }
}
