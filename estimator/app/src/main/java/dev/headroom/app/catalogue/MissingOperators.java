package dev.headroom.app.catalogue;

import dev.headroom.app.report.Columns;
import dev.headroom.app.report.JsonOutput;
import dev.headroom.estimator.op.OperatorUse;
import dev.headroom.estimator.op.StandardRules;
import dev.headroom.estimator.op.rule.AtenOperators;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The operators through which gradients flow and that have no rule, those that models call most first. */
public final class MissingOperators {
    /** An operator, its overloads without a rule, and how many of a thousand models call them. */
    private record Row(String operator, List<String> overloads, double models) {}

    private MissingOperators() {}

    private static List<Row> rows() {
        Map<String, List<String>> missing = new TreeMap<>();
        for (AtenOperators.Declared d : AtenOperators.all()) {
            boolean flows = d.gradient() != AtenOperators.Gradient.NONE;
            if (flows && StandardRules.registry().find(d.operator()) == null) {
                int dot = d.operator().lastIndexOf('.');
                missing.computeIfAbsent(d.operator().substring(0, dot), k -> new ArrayList<>())
                        .add(d.operator().substring(dot + 1));
            }
        }
        OperatorUse use = OperatorUse.recorded();
        // Names with an underscore are what operators are made of; programs call them only where models do.
        missing.entrySet()
                .removeIf(e -> e.getKey().startsWith("aten._")
                        && e.getValue().stream().allMatch(v -> use.inThousand(e.getKey() + "." + v) == 0));
        List<Row> out = new ArrayList<>();
        missing.forEach((operator, overloads) -> out.add(new Row(
                operator,
                overloads,
                overloads.stream()
                        .mapToDouble(o -> use.inThousand(operator + "." + o))
                        .max()
                        .orElse(0))));
        out.sort(Comparator.comparingDouble(Row::models).reversed().thenComparing(Row::operator));
        return out;
    }

    /** A line an operator. */
    public static void write(PrintWriter out) {
        List<Row> rows = rows();
        for (Row row : rows) {
            String models = row.models() == 0 ? "no model" : String.format("%.1f of 1,000 models", row.models());
            out.println(Columns.left(row.operator(), 44) + "  " + models);
        }
        out.println();
        out.println(rows.size() + " operators without a rule; models counted: "
                + OperatorUse.recorded().models());
    }

    /** An array of objects: {@code operator, overloads, modelsInThousand}. */
    public static void writeJson(PrintWriter out) {
        JsonOutput.write(out, json -> {
            json.writeStartArray();
            for (Row row : rows()) {
                json.writeStartObject();
                json.writeStringField("operator", row.operator());
                JsonOutput.strings(json, "overloads", row.overloads());
                json.writeNumberField("modelsInThousand", Math.round(10 * row.models()) / 10.0);
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }
}
