package dev.headroom.executor.program;

import dev.headroom.graph.Graph;
import dev.headroom.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public final class ValueLifetimes {
    private static final int NEVER = Integer.MAX_VALUE;

    private static final class Local {
        final String name;
        final int made;
        int used;
        Call owner;
        Call.Step producer;
        int unbound = -1;

        Local(String name, int made) {
            this.name = name;
            this.made = made;
            this.used = made;
        }
    }

    private final List<List<String>> dying;

    private ValueLifetimes(List<List<String>> dying) {
        this.dying = dying;
    }

    public List<String> diesAfter(int node) {
        return dying.get(node);
    }

    public static ValueLifetimes of(Graph graph) {
        CallTree tree = CallTree.of(graph);
        Map<String, Local> locals = locals(graph);
        Map<Call, List<Local>> byOwner = new LinkedHashMap<>();
        for (Local v : locals.values()) {
            v.owner = tree.commonCall(v.made, v.used);
            v.producer = tree.stepIn(v.owner, v.made);
            byOwner.computeIfAbsent(v.owner, c -> new ArrayList<>()).add(v);
        }
        byOwner.forEach((call, values) -> bind(tree, call, values));
        List<List<String>> dying = new ArrayList<>();
        for (int i = 0; i < graph.nodes().size(); i++) {
            dying.add(new ArrayList<>(2));
        }
        for (Local v : locals.values()) {
            dying.get(death(tree, v)).add(v.name);
        }
        return new ValueLifetimes(dying);
    }

    private static int death(CallTree tree, Local v) {
        Call.Step consumer = tree.stepIn(v.owner, v.used);
        if (v.unbound >= 0 && consumer.last() > v.unbound) {
            return v.owner.last();
        }
        return Math.max(consumer.last(), v.unbound);
    }

    private static Map<String, Local> locals(Graph graph) {
        Map<String, Local> out = new LinkedHashMap<>();
        for (int i = 0; i < graph.nodes().size(); i++) {
            Node n = graph.nodes().get(i);
            for (String r : n.reads()) {
                Local v = out.get(r);
                if (v != null) {
                    v.used = i;
                }
            }
            for (String o : n.outputs()) {
                if (o != null && graph.values().containsKey(o)) {
                    out.put(o, new Local(o, i));
                }
            }
        }
        graph.outputs().forEach(o -> out.remove(o.value()));
        return out;
    }

    private static void bind(CallTree tree, Call call, List<Local> values) {
        Map<Call.Statement, List<Local>> results = new HashMap<>();
        for (Local v : values) {
            Call.Statement s = v.producer.statement;
            boolean outside = tree.stepIn(call, v.used).statement != s;
            if (!s.line.names().isEmpty() && (outside || s.endsWith(v.producer))) {
                results.computeIfAbsent(s, k -> new ArrayList<>(2)).add(v);
            }
        }
        Map<String, List<Local>> variables = new HashMap<>();
        for (Call.Statement s : call.statements) {
            List<Local> made = results.getOrDefault(s, List.of());
            List<String> names = s.line.names();
            for (int k = 0; k < names.size(); k++) {
                List<Local> bound = names.size() == 1
                        ? made
                        : names.size() == made.size() ? made.subList(k, k + 1) : k == 0 ? made : List.of();
                end(variables.put(names.get(k), bound), s.last());
            }
        }
        variables.values().forEach(held -> end(held, call.last()));
    }

    private static void end(List<Local> held, int node) {
        if (held != null) {
            held.forEach(v -> v.unbound = Math.max(v.unbound, node));
        }
    }
}
