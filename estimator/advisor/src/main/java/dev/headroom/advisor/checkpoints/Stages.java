package dev.headroom.advisor.checkpoints;

import dev.headroom.model.checkpoint.GrowingLists;
import dev.headroom.model.checkpoint.ModuleCalls;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A model as a sequence of stages, the smallest pieces that a plan tells apart: the blocks of its containers and what
 * stands between them. Sequentials are taken apart, and modules that hold a large part of the operators. Stages that
 * follow each other can be one checkpoint where the module tree has a name for them: one module, or a run of siblings.
 */
final class Stages {
    /** A module with a larger share of the operators is taken apart. */
    private static final double LARGE = 0.25;

    private final Graph graph;
    private final List<Stage> stages = new ArrayList<>();
    private final Map<String, Integer> timesCalled = new HashMap<>();
    private final Map<String, Integer> byPath = new HashMap<>();
    private final Map<Long, String> names = new HashMap<>();

    private Stages(Graph graph) {
        this.graph = graph;
    }

    static Stages of(Graph graph) {
        Stages out = new Stages(graph);
        List<ModuleCalls.Call> roots = ModuleCalls.roots(graph);
        roots.forEach(out::count);
        out.collect(roots);
        out.between(graph.nodes().size());
        if (out.stages.isEmpty() || out.stages.get(out.size() - 1).isModule()) {
            out.stages.add(new Stage(null, graph.nodes().size(), graph.nodes().size())); // for the loss
        }
        out.nameRuns(roots);
        return out;
    }

    /** All stages in order; they cover every node. */
    List<Stage> all() {
        return stages;
    }

    int size() {
        return stages.size();
    }

    /** What {@code checkpointModules} is for a plan. */
    List<String> names(List<Schedule.Piece> pieces) {
        return pieces.stream().map(p -> name(p.first(), p.last())).toList();
    }

    /** What {@code checkpointModules} calls the stages from {@code first} to {@code last}, or {@code null}. */
    @Nullable
    String name(int first, int last) {
        Stage end = stages.get(last);
        return end.from() == end.to() ? null : names.get(key(stages.get(first).from(), end.to()));
    }

    /** The stage that is or holds a module, or -1: it is, or may be, none of them. */
    int holding(String module) {
        for (String path = module; !path.isEmpty(); path = ModelState.owner(path)) {
            Integer stage = byPath.get(path);
            if (stage != null) {
                return stage;
            }
        }
        return -1;
    }

    private static long key(int from, int to) {
        return (long) from << 32 | to;
    }

    private void count(ModuleCalls.Call call) {
        timesCalled.merge(call.path(), 1, Integer::sum);
        call.children().forEach(this::count);
    }

    private boolean isCalledOnce(ModuleCalls.Call call) {
        return !call.path().isEmpty() && timesCalled.getOrDefault(call.path(), 0) == 1;
    }

    private void collect(List<ModuleCalls.Call> calls) {
        for (ModuleCalls.Call c : calls) {
            if (isTakenApart(c)) {
                collect(c.children());
            } else if (isCalledOnce(c)) {
                between(c.from());
                byPath.put(c.path(), stages.size());
                stages.add(new Stage(c.path(), c.from(), c.to()));
            }
        }
    }

    private boolean isTakenApart(ModuleCalls.Call c) {
        if (c.children().isEmpty() || GrowingLists.isGivenTo(graph, c)) {
            return false;
        }
        ModuleCalls.Call first = c.children().get(0);
        if (first.from() == c.from() && first.to() == c.to()) { // all that it does is to call another module
            return isTakenApart(first);
        }
        return c.path().isEmpty()
                || c.isSequential()
                || c.children().size() > 1
                        && c.to() - c.from() > LARGE * graph.nodes().size();
    }

    /** What no module since the last stage has is a stage of its own. */
    private void between(int to) {
        int from = stages.isEmpty() ? 0 : stages.get(stages.size() - 1).to();
        if (from < to) {
            stages.add(new Stage(null, from, to));
        }
    }

    private void nameRuns(List<ModuleCalls.Call> siblings) {
        for (int a = 0; a < siblings.size(); a++) {
            ModuleCalls.Call first = siblings.get(a);
            for (int b = a; b < siblings.size(); b++) {
                ModuleCalls.Call last = siblings.get(b);
                boolean follows = b == a || siblings.get(b - 1).to() == last.from();
                boolean together = ModelState.owner(first.path()).equals(ModelState.owner(last.path()));
                if (!follows || !together || !isCalledOnce(last)) {
                    break;
                }
                String name = a == b ? first.path() : first.path() + ".." + last.path();
                names.putIfAbsent(key(first.from(), last.to()), name);
            }
            nameRuns(first.children());
        }
    }
}
