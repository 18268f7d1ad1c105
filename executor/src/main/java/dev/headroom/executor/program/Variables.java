package dev.headroom.executor.program;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The names that a call assigns. */
final class Variables {
    private Variables() {}

    /** Finds until when the names hold the values that the call owns. */
    static void bind(CallTree tree, Call call, List<Local> values) {
        OtherNames others = new OtherNames(tree, call);
        Map<Call.Statement, List<Local>> results = new HashMap<>();
        Map<Call.Statement, Map<String, List<Local>>> unseen = new HashMap<>();
        for (Local v : values) {
            String other = others.of(v);
            if (other != null) {
                unseen.computeIfAbsent(v.producer().statement, k -> new HashMap<>())
                        .computeIfAbsent(other, k -> new ArrayList<>(2))
                        .add(v);
            }
            Call.Statement s = v.producer().statement;
            boolean result = v.readLater() || v.returned || s.endsWith(v.producer()) && !v.leftOut;
            if (!s.line.names().isEmpty() && result) {
                results.computeIfAbsent(s, k -> new ArrayList<>(2)).add(v);
            }
        }
        Map<String, List<Local>> variables = new HashMap<>();
        for (Call.Statement s : call.statements) {
            List<String> names = s.line.names();
            List<Local> made = new ArrayList<>(results.getOrDefault(s, List.of()));
            made.sort(Comparator.comparing(v -> v.returned)); // modules return first what is read
            for (int k = 0; k < names.size(); k++) {
                List<Local> before = variables.getOrDefault(names.get(k), List.of());
                s.replacesUnknown |= before.isEmpty() && s.line.readsItself(names.get(k));
                List<Local> bound = assigned(made, k, names.size());
                String name = names.get(k);
                bound.forEach(v -> v.boundTo = name);
                end(variables.put(name, bound), s.last());
            }
            unseen.getOrDefault(s, Map.of()).forEach((name, held) -> end(variables.put(name, held), s.last()));
        }
        variables.values().forEach(held -> end(held, call.last()));
        others.find(values);
        others.listed(values);
        collected(call, results);
    }

    /**
     * One value a name, where there are as many, and the rest as a tuple to the last; otherwise the values are one
     * tuple, or the others are no tensors.
     */
    private static List<Local> assigned(List<Local> made, int name, int names) {
        if (made.size() >= names && names > 1) {
            return made.subList(name, name == names - 1 ? made.size() : name + 1);
        }
        return name == 0 ? made : List.of();
    }

    private static void end(List<Local> held, int node) {
        if (held != null) {
            held.forEach(v -> v.unbound = Math.max(v.unbound, node));
        }
    }

    /**
     * A loop that puts what it makes into a list: where the values of all turns but the last outlive their name, the
     * last one does, too.
     */
    private static void collected(Call call, Map<Call.Statement, List<Local>> results) {
        Map<SourceLine, List<Local>> turns = new HashMap<>();
        for (Call.Statement s : call.statements) {
            List<Local> made = results.getOrDefault(s, List.of());
            if (made.size() == 1) {
                turns.computeIfAbsent(s.line, k -> new ArrayList<>()).add(made.get(0));
            }
        }
        for (List<Local> made : turns.values()) {
            List<Local> before = made.subList(0, made.size() - 1);
            if (before.size() > 1 && before.stream().allMatch(Local::outlivesName)) {
                Local last = made.get(before.size());
                last.kept = last.popped || last.elsewhere > last.used ? last.kept : Math.max(last.kept, call.last());
            }
        }
    }
}
