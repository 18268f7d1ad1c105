package dev.headroom.model.checkpoint;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.memo.GraphMemo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Checkpoints that the program makes itself: the exporter goes through {@code torch.utils.checkpoint.checkpoint} as if
 * it were not there, and only the lines that operators came from tell of it. Where the archive has the lines of all
 * functions, an operator is inside of one if {@code checkpoint} was running. Else it has those of functions called
 * {@code forward} alone: then what the line's call is given says what is inside. Where somebody looked on when the
 * model ran ({@link Node.Seen}), nothing needs to be read.
 *
 * <p>Re-entrant ones are seen in another way, see {@link ReentrantCheckpoints}.
 */
public final class ProgramCheckpoints {
    private static final GraphMemo<CheckpointPlan> READ =
            new GraphMemo<>(graph -> new ProgramCheckpoints(graph).read());

    private final Graph graph;
    private final List<Node> nodes;

    private ProgramCheckpoints(Graph graph) {
        this.graph = graph;
        this.nodes = graph.nodes();
    }

    /** Whether a graph has any. */
    public static boolean in(Graph graph) {
        return !plan(graph).regions().isEmpty()
                || !ReentrantCheckpoints.of(graph).ranges().isEmpty();
    }

    /** What of a graph is recomputed, and how; they are all taken to be of one kind. */
    static CheckpointPlan plan(Graph graph) {
        return READ.of(graph);
    }

    private CheckpointPlan read() {
        return nodes.stream().anyMatch(n -> n.seen().checkpoint() != null) ? seen() : readLines();
    }

    private CheckpointPlan seen() {
        Map<Integer, int[]> ranges = new LinkedHashMap<>();
        boolean reentrant = false;
        for (int i = 0; i < nodes.size(); i++) {
            Node.Checkpoint inside = nodes.get(i).seen().checkpoint();
            if (inside != null) {
                int end = i + 1;
                ranges.merge(inside.number(), new int[] {i, end}, (known, one) -> new int[] {known[0], end});
                reentrant |= inside.reentrant();
            }
        }
        Regions regions = new Regions(graph);
        List<Region> out =
                ranges.values().stream().map(r -> regions.of(r[0], r[1])).toList();
        return new CheckpointPlan(graph, out, reentrant);
    }

    private CheckpointPlan readLines() {
        boolean reentrant = false;
        List<Region> out = new ArrayList<>();
        Regions regions = null;
        for (int i = 0; i < nodes.size(); ) {
            CheckpointLine first = line(i);
            int end = i + 1;
            while (first != null && end < nodes.size() && first.isSameCall(line(end)) && !isAgain(first, i, end)) {
                end++;
            }
            if (first != null) {
                regions = regions == null ? new Regions(graph) : regions;
                reentrant |= first.isReentrant();
                for (int[] range : ranges(first, i, end)) {
                    out.add(regions.of(range[0], range[1]));
                }
            }
            i = end;
        }
        return new CheckpointPlan(graph, List.copyOf(out), reentrant);
    }

    /**
     * Whether a line that calls a function, and has the frames inside of it, calls it once more: what it did first is
     * done again, in the same module and after something else.
     */
    private boolean isAgain(CheckpointLine line, int first, int node) {
        String trace = nodes.get(first).stackTrace();
        return line.isExact()
                && nodes.get(node).stackTrace().equals(trace)
                && !nodes.get(node - 1).stackTrace().equals(trace)
                && nodes.get(node).moduleStack().equals(nodes.get(first).moduleStack());
    }

    private @Nullable CheckpointLine line(int node) {
        return CheckpointLine.of(nodes.get(node));
    }

    /** What of the operators of a line, of which several calls may have run one after another, is inside. */
    private List<int[]> ranges(CheckpointLine line, int from, int to) {
        List<int[]> calls = calls(line.depth() + 1, from, to);
        if (line.isSequential()) {
            return segments(calls, line.segments());
        }
        if (line.isModule().orElseGet(() -> isCallOfModule(line, calls, from, to))) {
            return line.isExact()
                    ? calls
                    : calls.stream().filter(c -> isWrapped(line, c)).toList();
        }
        if (line.isExact()) {
            return List.of(new int[] {from, to});
        }
        int begin = from;
        for (int[] call : calls) {
            if (call[0] == begin && line.givesResultOf(name(line, call))) {
                begin = call[1];
            }
        }
        int end = to - line.operatorsAround();
        return begin < end ? List.of(new int[] {begin, end}) : List.of();
    }

    /** All but the last (torch/utils/checkpoint.py, checkpoint_sequential). */
    private static List<int[]> segments(List<int[]> calls, int segments) {
        List<int[]> out = new ArrayList<>();
        int size = segments == 0 ? 0 : calls.size() / segments;
        for (int i = 0; size > 0 && i < segments - 1; i++) {
            out.add(new int[] {calls.get(i * size)[0], calls.get((i + 1) * size - 1)[1]});
        }
        return out;
    }

    /** Calls of modules at a depth. */
    private List<int[]> calls(int depth, int from, int to) {
        List<int[]> out = new ArrayList<>();
        String running = "";
        for (int i = from; i < to; i++) {
            List<Node.ModuleCall> stack = nodes.get(i).moduleStack();
            String call = depth < stack.size() ? stack.get(depth).call() : "";
            if (!call.isEmpty() && call.equals(running)) {
                out.get(out.size() - 1)[1] = i + 1;
            } else if (!call.isEmpty()) {
                out.add(new int[] {i, i + 1});
            }
            running = call;
        }
        return out;
    }

    /** Whether a line without the frames inside of it calls modules: it names one, or nothing else runs there. */
    private boolean isCallOfModule(CheckpointLine line, List<int[]> calls, int from, int to) {
        Optional<String> own = line.ownFunction();
        if (own.isPresent()) {
            return calls.stream().anyMatch(c -> name(line, c).equals(own.get()));
        }
        int inside = calls.stream().mapToInt(c -> c[1] - c[0]).sum();
        return !calls.isEmpty() && inside == to - from;
    }

    /** Whether a module is what the call is given, and none whose result it is given. */
    private boolean isWrapped(CheckpointLine line, int[] call) {
        String name = name(line, call);
        return line.ownFunction().map(name::equals).orElseGet(() -> !line.givesResultOf(name));
    }

    private String name(CheckpointLine line, int[] call) {
        String path = nodes.get(call[0]).moduleStack().get(line.depth() + 1).path();
        return path.substring(path.lastIndexOf('.') + 1);
    }
}
