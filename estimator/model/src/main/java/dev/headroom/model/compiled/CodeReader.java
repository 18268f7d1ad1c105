package dev.headroom.model.compiled;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the generated code of one graph from a plan. */
final class CodeReader {
    /** The function that everything is in, unless Inductor divided the code for CUDA graphs. */
    private static final String WHOLE = "call";

    private static final String PART = "partition_";

    private final Map<?, ?> plan;
    private final Map<String, Long> symbols;
    private final String where;
    private final List<String> arguments = new ArrayList<>();

    private CodeReader(Map<?, ?> plan, Map<String, Long> symbols, String where) {
        this.plan = plan;
        this.where = where;
        this.symbols = symbols;
    }

    /**
     * Reads the code.
     *
     * @param symbols values of symbolic sizes
     * @param where the plan stands in the file, for messages
     */
    static CompiledCode read(Map<?, ?> plan, Map<String, Long> symbols, String where) {
        return new CodeReader(plan, symbols, where).read();
    }

    /** The symbols of a plan with the values that a call gives them, by its arguments' names. */
    static Map<String, Long> symbols(Map<?, ?> plan, Map<String, Long> given, String where) {
        Map<String, Long> out = symbols(plan.get("symbols"), where);
        if (!given.isEmpty()) {
            for (Object event : PlanJson.list(
                    PlanJson.object(plan.get("functions"), where + ".functions").get(WHOLE), where)) {
                if (event instanceof List<?> alias && alias.size() > 2 && "alias".equals(alias.get(0))) {
                    Long size = given.get(String.valueOf(alias.get(2)));
                    if (size != null) {
                        out.put(String.valueOf(alias.get(1)), size);
                    }
                }
            }
        }
        given.forEach(out::put);
        return out;
    }

    /** Whether the code was divided into what a CUDA graph can hold and what it cannot. */
    static boolean isDivided(Map<?, ?> plan) {
        return plan.get("functions") instanceof Map<?, ?> functions && functions.containsKey(PART + 0);
    }

    /** Whether sizes were symbols while the graph was traced. */
    static boolean isSymbolic(Map<?, ?> plan) {
        return plan.get("symbols") instanceof Map<?, ?> symbols && !symbols.isEmpty();
    }

    /** Values of the symbols in a plan's sizes. */
    static Map<String, Long> symbols(@Nullable Object value, String where) {
        Map<String, Long> out = new HashMap<>();
        if (value != null) {
            PlanJson.object(value, where + ".symbols").forEach((name, number) -> {
                if (number instanceof Long n) {
                    out.put(String.valueOf(name), n);
                }
            });
        }
        return out;
    }

    private CompiledCode read() {
        List<Statement> statements = statements(WHOLE);
        given(statements);
        if (statements.isEmpty() || !(statements.get(statements.size() - 1) instanceof Statement.Return)) {
            throw new UserInputException(where + " does not end with a return; the file is cut off or damaged");
        }
        return new CompiledCode(WrittenOver.told(statements), arguments, tensors("inputs"), tensors("buffers"));
    }

    /** The statements of a function; with CUDA graphs, parts of the work are in functions that it calls. */
    private List<Statement> statements(String function) {
        Map<?, ?> functions = PlanJson.object(plan.get("functions"), where + ".functions");
        List<?> events = PlanJson.list(functions.get(function), where + ".functions." + function);
        List<Statement> out = new ArrayList<>();
        int part = 0;
        for (int i = 0; i < events.size(); i++) {
            List<?> event = PlanJson.list(events.get(i), where);
            if (!event.isEmpty() && "unpack".equals(event.get(0)) && functions.containsKey(PART + part)) {
                splice(out, statements(PART + part++));
                continue;
            }
            Statement statement = statement(event, events.subList(i + 1, events.size()), where + ", statement " + i);
            if (statement != null) {
                out.add(statement);
            }
        }
        return out;
    }

    /**
     * Puts the statements of a part where it is called: its variables have the caller's names, and what the caller lets
     * go of before the call is the part's own.
     */
    private static void splice(List<Statement> caller, List<Statement> part) {
        if (!caller.isEmpty() && caller.get(caller.size() - 1) instanceof Statement.Free) {
            caller.remove(caller.size() - 1);
        }
        part.stream()
                .filter(s -> !(s instanceof Statement.Inputs || s instanceof Statement.Return))
                .forEach(caller::add);
    }

    /** Of a function that takes its arguments from the caller of the graph. */
    private void given(List<Statement> statements) {
        for (Statement s : statements) {
            if (s instanceof Statement.Inputs inputs) {
                arguments.addAll(inputs.names());
            }
        }
    }

    /** Numbers that forward keeps on the host are arguments of backward as all that it keeps. */
    private Map<String, TensorMeta> tensors(String key) {
        boolean all = key.equals("inputs") && "backward".equals(plan.get("direction"));
        Map<String, TensorMeta> out = new HashMap<>();
        PlanJson.object(plan.get(key), where + "." + key).forEach((name, described) -> {
            if (described != null && (all || onDevice(described))) {
                out.put(String.valueOf(name), PlanJson.tensor(described, symbols, where + "." + key + "." + name));
            }
        });
        return out;
    }

    private static boolean onDevice(Object described) {
        Object device = described instanceof Map<?, ?> map ? map.get("device") : null;
        return device == null || device.equals("cuda");
    }

    /** A statement, or {@code null} for one that neither allocates nor frees. */
    private @Nullable Statement statement(List<?> event, List<?> rest, String at) {
        if (event.isEmpty()) {
            throw PlanJson.expected(at, "a statement");
        }
        return switch (PlanJson.text(event.get(0), at)) {
            case "inputs" -> new Statement.Inputs(PlanJson.texts(PlanJson.part(event, 1, at), at));
            case "alloc" -> allocate(event, rest, at, false);
            case "alloc_host" -> allocate(event, rest, at, true);
            case "alias" -> new Statement.Alias(name(event, 1, at), name(event, 2, at));
            case "call" ->
                new Statement.Call(
                        name(event, 1, at), name(event, 2, at), PlanJson.texts(PlanJson.part(event, 3, at), at));
            case "item" -> item(event, at);
            case "extern_out" ->
                new Statement.Extern(name(event, 1, at), PlanJson.texts(PlanJson.part(event, 2, at), at));
            case "free" -> new Statement.Free(PlanJson.texts(PlanJson.part(event, 1, at), at));
            case "return" -> new Statement.Return(returned(PlanJson.list(PlanJson.part(event, 1, at), at)));
            case "kernel" ->
                new Statement.Kernel(
                        name(event, 1, at),
                        List.of(),
                        event.size() < 3 ? List.of() : PlanJson.texts(PlanJson.part(event, 2, at), at));
            case "unpack" -> null;
            default ->
                throw new UserInputException(at + " is a \"" + event.get(0) + "\", which this version does not know");
        };
    }

    /** The first kernel or library call that is given a buffer. */
    private static String writer(String buffer, List<?> rest) {
        for (Object next : rest) {
            if (next instanceof List<?> event
                    && event.size() > 2
                    && ("kernel".equals(event.get(0)) || "extern_out".equals(event.get(0)))
                    && event.get(2) instanceof List<?> given
                    && given.contains(buffer)) {
                return String.valueOf(event.get(1));
            }
        }
        return "";
    }

    private Statement allocate(List<?> event, List<?> rest, String at, boolean onHost) {
        TensorMeta shape = PlanJson.tensor(
                PlanJson.part(event, 3, at), PlanJson.part(event, 4, at), PlanJson.part(event, 5, at), symbols, at);
        String name = name(event, 1, at);
        return new Statement.Allocate(name, shape, onHost, writer(name, rest));
    }

    private static @Nullable Statement item(List<?> event, String at) {
        return PlanJson.part(event, 3, at) instanceof Long index
                ? new Statement.Item(name(event, 1, at), name(event, 2, at), (int) Math.min(index, Integer.MAX_VALUE))
                : null;
    }

    private static List<@Nullable String> returned(List<?> names) {
        List<@Nullable String> out = new ArrayList<>();
        names.forEach(name -> out.add(name instanceof String text ? text : null));
        return out;
    }

    private static String name(List<?> event, int i, String at) {
        return PlanJson.text(PlanJson.part(event, i, at), at);
    }
}
