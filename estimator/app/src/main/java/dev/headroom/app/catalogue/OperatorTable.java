package dev.headroom.app.catalogue;

import dev.headroom.app.report.Columns;
import dev.headroom.app.report.JsonOutput;
import dev.headroom.estimator.op.StandardRules;
import dev.headroom.estimator.op.Verification;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.executor.op.StandardOperators;
import dev.headroom.executor.op.registry.Operators;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The operators that have a rule, and how each was verified, for people and for programs. */
public final class OperatorTable {
    /** What the executor has for an operator that no backend computes. */
    private static final List<String> MEMORY = List.of("memory");

    /** An operator of the registry with what verifies it; both lists may be empty. */
    private record Row(String operator, int cases, List<String> examples, List<String> models) {
        /** The executor's backends that compute it, its memory alone, or none where the executor lacks it. */
        List<String> backends() {
            int overload = operator.indexOf('.', operator.indexOf('.') + 1);
            String name = overload < 0 ? operator : operator.substring(0, overload);
            Operators all = StandardOperators.all();
            return all.find(name) != null && all.backends(name).isEmpty() ? MEMORY : all.backends(name);
        }

        String how() {
            if (cases > 0) {
                return cases + (cases == 1 ? " case, " : " cases, such as ") + examples.get(0);
            }
            return models.isEmpty() ? "not verified" : "recordings of " + String.join(", ", models);
        }
    }

    private OperatorTable() {}

    private static Map<String, List<Row>> byFamily() {
        Registry registry = StandardRules.registry();
        Map<String, Verification> verified = Verification.all();
        Map<String, List<Row>> out = new TreeMap<>();
        for (String operator : registry.operators()) {
            int cases = 0;
            List<String> examples = new ArrayList<>();
            List<String> models = new ArrayList<>();
            for (Verification v : verified.values()) {
                if (v.operator().equals(operator) || v.operator().startsWith(operator + ".")) {
                    cases += v.cases();
                    examples.addAll(v.examples());
                    models.addAll(v.models());
                }
            }
            out.computeIfAbsent(registry.family(operator), f -> new ArrayList<>())
                    .add(new Row(
                            operator,
                            cases,
                            examples,
                            models.stream().distinct().limit(3).toList()));
        }
        return out;
    }

    /** A section a family. */
    public static void write(PrintWriter out) {
        int all = 0;
        int verified = 0;
        int run = 0;
        int computed = 0;
        for (Map.Entry<String, List<Row>> family : byFamily().entrySet()) {
            out.println(family.getKey());
            for (Row row : family.getValue()) {
                String backends = row.backends().isEmpty() ? "-" : String.join(" ", row.backends());
                out.println(
                        "  " + Columns.left(row.operator(), 40) + "  " + Columns.left(backends, 9) + "  " + row.how());
                all++;
                run += row.backends().isEmpty() ? 0 : 1;
                computed += row.backends().size() > 1 ? 1 : 0;
                verified += row.cases() > 0 || !row.models().isEmpty() ? 1 : 0;
            }
        }
        out.println();
        out.println(verified + " of " + all + " operators verified against the real PyTorch, " + run
                + " run by the executor, " + computed + " of them computed on the host and on a GPU");
    }

    /** An array of objects: {@code operator, family, executor, cases, examples, models}. */
    public static void writeJson(PrintWriter out) {
        JsonOutput.write(out, json -> {
            json.writeStartArray();
            for (Map.Entry<String, List<Row>> family : byFamily().entrySet()) {
                for (Row row : family.getValue()) {
                    json.writeStartObject();
                    json.writeStringField("operator", row.operator());
                    json.writeStringField("family", family.getKey());
                    JsonOutput.strings(json, "executor", row.backends());
                    json.writeNumberField("cases", row.cases());
                    JsonOutput.strings(json, "examples", row.examples());
                    JsonOutput.strings(json, "models", row.models());
                    json.writeEndObject();
                }
            }
            json.writeEndArray();
        });
    }
}
