package dev.headroom.executor.program;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Names of a call that no line assigns in sight. {@code residual = x} runs no operator and so leaves no line, and of a
 * statement over several lines a trace shows one. The lines that read such values spell the names: one that they spell
 * and no statement before them assigns is the name that was not seen.
 */
final class OtherNames {
    private final CallTree tree;
    private final Call call;

    /** By name: the statements that assign it. */
    private final Map<String, TreeSet<Integer>> assigned = new HashMap<>();

    /** By statement: the names that it gives to values. */
    private final Map<Call.Statement, Set<String>> bound = new HashMap<>();

    private final Map<Local, String> holders = new HashMap<>();

    OtherNames(CallTree tree, Call call) {
        this.tree = tree;
        this.call = call;
        for (Call.Statement s : call.statements) {
            s.line.names().forEach(name -> assigned.computeIfAbsent(name, k -> new TreeSet<>())
                    .add(s.index));
        }
    }

    /** The name that a value has whose statement shows none, or {@code null} where lines do not tell. */
    @Nullable
    String of(Local v) {
        SourceLine line = v.producer().statement.line;
        if (!line.names().isEmpty() || line.fills() || !line.mayEndAssignment() || !v.readLater()) {
            return null;
        }
        Call.Statement first = readers(v).stream()
                .filter(s -> s.index > v.producer().statement.index)
                .findFirst()
                .orElse(null);
        if (first != null && line.follows(first.line)) {
            // Arguments go with their call; what a function is mapped over, with the iterator.
            v.kept = first.line.text().contains("map(") ? Math.max(v.kept, first.last()) : v.kept;
            return null;
        }
        Set<String> names = first == null ? Set.of() : first.line.spelled();
        return names.size() == 1 ? names.iterator().next() : only(new HashSet<>(names), lastIndex(first));
    }

    private static int lastIndex(Call.@Nullable Statement s) {
        return s == null ? 0 : s.index + 1;
    }

    /** Looks for the names that hold values which are read after their own names were assigned again. */
    void find(List<Local> values) {
        values.forEach(v -> bound.computeIfAbsent(v.producer().statement, k -> new HashSet<>())
                .add(v.boundTo));
        for (Local v : values) {
            if (v.outlivesName()) {
                hold(v);
            } else if (v.unbound >= 0 && v.readLater()) {
                popped(v);
            }
        }
        holders.forEach((v, holder) -> v.elsewhere = until(v, holder));
    }

    /** Whoever takes a value out of a list leaves nothing of it there. */
    private void popped(Local v) {
        List<Call.Statement> readers = readers(v);
        String text = readers.get(readers.size() - 1).line.text();
        if (v.producer().statement.line.names().stream().anyMatch(name -> text.contains(name + ".pop("))) {
            v.unbound = v.used;
        }
    }

    private void hold(Local v) {
        boolean allSeen = true;
        for (Call.Statement s : readers(v)) {
            if (s.index <= v.producer().statement.index || s.first() <= v.unbound) {
                continue;
            }
            if (s.line.text().contains(".pop(")) {
                v.elsewhere = v.used;
                v.popped = true;
                continue;
            }
            Set<String> names = new HashSet<>(s.line.spelled());
            names.removeAll(s.line.names());
            String only = only(names, s.index);
            if (only != null) {
                holders.put(v, only);
                return;
            }
            allSeen &= names.isEmpty() && isSeen(v, s);
        }
        if (allSeen) {
            v.elsewhere = v.used; // one of the names that are assigned in sight holds it, as after a, b = b, a
        }
    }

    /**
     * Whether a line shows that one of the names that it spells, which are all assigned in sight, holds a value: none
     * is a list, and none is the value's own that was not assigned again.
     */
    private boolean isSeen(Local v, Call.Statement s) {
        Set<String> names = s.line.spelled();
        int made = v.producer().statement.index;
        return !names.isEmpty()
                && !s.line.isUnfinished()
                && names.stream().noneMatch(s.line::joins)
                && v.producer().statement.line.names().stream()
                        .filter(names::contains)
                        .allMatch(name -> !assigned.getOrDefault(name, new TreeSet<>())
                                        .subSet(made + 1, s.index)
                                        .isEmpty()
                                || !name.equals(v.boundTo)
                                        && bound.getOrDefault(v.producer().statement, Set.of())
                                                .contains(name));
    }

    /** The one of several names that no statement before another assigns. */
    private @Nullable String only(Set<String> names, int before) {
        names.removeIf(name -> assigned.containsKey(name) && assigned.get(name).first() < before);
        return names.size() == 1 ? names.iterator().next() : null;
    }

    /** The statement that reads a value last. */
    private Call.Statement last(Local v) {
        List<Call.Statement> all = readers(v);
        return all.get(all.size() - 1);
    }

    /**
     * Whether a list was begun anew behind the last statement that reads a value in it, as the next turn of a loop
     * does: the line that joins what is in the list runs again, and does not read the value.
     */
    private boolean madeAnew(Local v, String list) {
        Call.Statement last = last(v);
        return call.statements.stream().anyMatch(s -> s.index > last.index && s.line.joins(list));
    }

    private boolean spells(Local v) {
        return last(v).line.spelled().contains(v.boundTo);
    }

    private static boolean assigns(Call.Statement s, String name) {
        return s.line.names().contains(name);
    }

    /** The node after which a list is gone that nothing begins anew: its name is another, or the call returns. */
    private int listEnd(Local v, String list) {
        return call.statements.stream()
                .filter(s -> s.index > last(v).index && assigns(s, list))
                .findFirst()
                .map(Call.Statement::last)
                .orElse(call.last());
    }

    /** Until when lists hold what statements put into them, with a name of its own or without. */
    void listed(List<Local> values) {
        for (Local v : values) {
            if (v.unbound >= 0 && v.readLater() && !v.popped) {
                String joined = last(v).line.joined();
                if (!joined.isEmpty() && !joined.equals(v.boundTo) && !spells(v) && !assigns(last(v), joined)) {
                    v.kept = Math.max(v.kept, madeAnew(v, joined) ? last(v).last() : listEnd(v, joined));
                }
            }
            String list = v.isListed() ? v.producer().statement.line.filled() : "";
            if (!list.isEmpty() && last(v).line.joins(list) && madeAnew(v, list)) {
                v.listGone = last(v).last();
            }
        }
    }

    /** The statements of the call that read a value, in order. */
    private List<Call.Statement> readers(Local v) {
        List<Call.Statement> out = new ArrayList<>(2);
        for (int node : v.readers) {
            out.add(tree.stepIn(call, node).statement);
        }
        return out;
    }

    /** The node after which a name that was not seen assigned lets go of a value, -1 for the end of the call. */
    private int until(Local v, String holder) {
        SourceLine line = readers(v).get(v.readers.size() - 1).line;
        if (line.joins(holder)) {
            return madeAnew(v, holder) ? last(v).last() : -1;
        }
        int until = Integer.MAX_VALUE;
        for (Map.Entry<Local, String> e : holders.entrySet()) {
            Local next = e.getKey();
            if (e.getValue().equals(holder) && next.used > v.used) {
                int given = next.made > v.used ? next.producer().statement.last() : Math.max(v.used, next.used - 1);
                until = Math.min(until, given);
            }
        }
        return until == Integer.MAX_VALUE ? -1 : until;
    }

    /** What is spelled like a variable and is none. */
    static final Set<String> WORDS = Set.of(
            "self", "None", "True", "False", "torch", "nn", "F", "math", "if", "else", "elif", "in", "for", "not",
            "and", "or", "is", "return", "lambda", "while", "with");

    /** A name that is no attribute, no function that is called, no argument's name and no text. */
    static final Pattern NAME = Pattern.compile("(?<![\\w.\"'])[A-Za-z_]\\w*(?![\\w(\"']|\\s*=[^=])");
}
