package dev.headroom.model.compiled;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Puts the codes of a plan together: each graph's forward with its backward and with what the partitioner said. */
final class PlanGraphs {
    private static final String FORWARD = "forward";
    private static final String INFERENCE = "inference";

    private final List<Map<?, ?>> plans = new ArrayList<>();
    private final List<?> partitions;

    private final CompiledGraph.Facts facts;

    /** Unless the config decides, Inductor measures whether padded products are faster. */
    private final boolean measuresPadding;

    PlanGraphs(Map<?, ?> file) {
        this.measuresPadding = measuresPadding(file.get("config"));
        this.facts = facts(file);
        PlanJson.list(file.get("plans"), "plans").forEach(p -> plans.add(PlanJson.object(p, "plans")));
        this.partitions =
                file.get("partitions") == null ? List.of() : PlanJson.list(file.get("partitions"), "partitions");
    }

    /** Whether there is code for backward. */
    boolean trains() {
        return facts.trains();
    }

    /** The graphs of the model in the order in which they were compiled, which is that of their first calls. */
    List<CompiledGraph> all() {
        return forwards().stream().map(i -> called(i, Map.of())).toList();
    }

    /** Which of the plans are the model's forward codes, in that order. */
    List<Integer> forwards() {
        List<Integer> out = new ArrayList<>();
        for (int i = 0; i < plans.size(); i++) {
            // Beside graphs that are trained, one without gradients is the compiled step of the optimizer.
            boolean infers = direction(i).equals(INFERENCE) && partitions.isEmpty();
            if (infers || direction(i).equals(FORWARD)) {
                out.add(i);
            }
        }
        if (out.isEmpty()) {
            throw new UserInputException("it holds no compiled graph of a model; was the backend Inductor?");
        }
        return out;
    }

    /** The symbols of a plan that stood for one size while it was compiled, with another one. */
    Map<String, Long> sized(int plan, long compiled, long size) {
        Map<String, Long> out = new HashMap<>();
        symbols(plan, Map.of()).forEach((symbol, value) -> {
            if (value == compiled) {
                out.put(symbol, size);
            }
        });
        return out;
    }

    /**
     * The graph as a call runs it.
     *
     * @param plan which of the plans its forward code is
     * @param sizes values of symbolic sizes, by the names of arguments; of others as while it was compiled
     */
    CompiledGraph called(int plan, Map<String, Long> sizes) {
        if (plan >= plans.size()) {
            throw new UserInputException("plans[" + plan + "] is called, but there are only " + plans.size());
        }
        int partition = 0;
        for (int i = 0; i < plan; i++) {
            partition += direction(i).equals(FORWARD) ? 1 : 0;
        }
        return switch (direction(plan)) {
            case FORWARD -> trained(plan, partition, sizes);
            case INFERENCE -> {
                CompiledCode code = code(plan, symbols(plan, sizes));
                List<Product> trials =
                        measuresPadding && symbols(plan, sizes).isEmpty() ? Products.of(code) : List.of();
                yield new CompiledGraph(code, null, results(code), List.of(), trials, facts, Map.of());
            }
            default -> throw new UserInputException("plans[" + plan + "] is called, but it is code for backward");
        };
    }

    private String direction(int plan) {
        return PlanJson.text(plans.get(plan).get("direction"), "plans[" + plan + "].direction");
    }

    private Map<String, Long> symbols(int plan, Map<String, Long> sizes) {
        return CodeReader.symbols(plans.get(plan), sizes, "plans[" + plan + "]");
    }

    private CompiledCode code(int plan, Map<String, Long> symbols) {
        return CodeReader.read(plans.get(plan), symbols, "plans[" + plan + "]");
    }

    private CompiledGraph trained(int plan, int partition, Map<String, Long> sizes) {
        String where = "partitions[" + partition + "]";
        if (partition >= partitions.size()) {
            throw new UserInputException(
                    where + " is missing, which tells what plans[" + plan + "] keeps for backward");
        }
        Map<?, ?> parted = PlanJson.object(partitions.get(partition), where);
        Map<String, Long> symbols = symbols(plan, sizes);
        Traced forward = Traced.of(parted.get("forward"), symbols, where + ".forward");
        Traced backward = Traced.of(parted.get("backward"), symbols, where + ".backward");
        int results = PlanJson.count(parted.get("outputs"), where + ".outputs");
        int behind = backwardOf(plan);
        Map<String, Long> behindSymbols = symbols(behind, Map.of());
        behindSymbols.putAll(symbols);
        CompiledGraph graph = new CompiledGraph(
                code(plan, symbols),
                code(behind, behindSymbols),
                forward.outputs().subList(0, Math.min(results, forward.outputs().size())),
                backward.outputs(),
                measuresPadding ? trials(forward, backward) : List.of(),
                facts,
                weights(forward));
        PlanCheck.check(graph, "plans[" + plan + "]");
        return graph;
    }

    private static CompiledGraph.Facts facts(Map<?, ?> file) {
        Map<?, ?> config = file.get("config") instanceof Map<?, ?> map ? map : Map.of();
        List<Object> directions = new ArrayList<>();
        boolean cudaGraphs = false;
        boolean symbolic = false;
        for (Object entry : PlanJson.list(file.get("plans"), "plans")) {
            Map<?, ?> plan = PlanJson.object(entry, "plans");
            String direction = PlanJson.text(plan.get("direction"), "plans.direction");
            directions.add(direction);
            cudaGraphs |= CodeReader.isDivided(plan);
            symbolic = direction.equals(FORWARD) ? CodeReader.isSymbolic(plan) : symbolic;
        }
        boolean trains = directions.contains(FORWARD);
        // Beside graphs that are trained, one without gradients that the model does not call is the optimizer's.
        called(file).forEach(i -> {
            if (i < directions.size()) {
                directions.set(i.intValue(), FORWARD);
            }
        });
        boolean step = trains && directions.contains(INFERENCE);
        return new CompiledGraph.Facts(
                type(config.get("dtype")),
                type(config.get("amp")),
                trains,
                step && !Boolean.FALSE.equals(config.get("compile_optimizer")),
                cudaGraphs,
                symbolic);
    }

    private static List<Long> called(Map<?, ?> file) {
        List<Long> out = new ArrayList<>(PlanProgram.called(file.get("program")));
        if (file.get("programs") != null) {
            PlanJson.list(file.get("programs"), "programs").forEach(p -> out.addAll(PlanProgram.called(p)));
        }
        return out;
    }

    private static @Nullable DType type(@Nullable Object name) {
        return "bf16".equals(name) ? DType.BFLOAT16 : "fp16".equals(name) ? DType.FLOAT16 : null;
    }

    private static boolean measuresPadding(@Nullable Object config) {
        Object settings = config instanceof Map<?, ?> map ? map.get("inductor") : null;
        return !(settings instanceof List<?> list)
                || list.stream().noneMatch(s -> s.equals("shape_padding=false") || s.equals("force_shape_pad=true"));
    }

    /** The joint graph is searched from its end (torch/_inductor/pattern_matcher.py, PatternMatcherPass.apply). */
    private static List<Product> trials(Traced forward, Traced backward) {
        Set<Product> out = new LinkedHashSet<>();
        for (Traced graph : List.of(backward, forward)) {
            List<Product> products = new ArrayList<>(graph.products());
            Collections.reverse(products);
            out.addAll(products);
        }
        return List.copyOf(out);
    }

    private static Map<Integer, Integer> weights(Traced graph) {
        Map<Integer, Integer> out = new HashMap<>();
        graph.weights().forEach((bias, weight) -> {
            int position = graph.placeholders().indexOf(bias);
            int of = graph.placeholders().indexOf(weight);
            if (position >= 0 && of >= 0) {
                out.put(position, of);
            }
        });
        return out;
    }

    private int backwardOf(int forward) {
        Object id = plans.get(forward).get("id");
        for (int i = 0; i < plans.size(); i++) {
            Map<?, ?> plan = plans.get(i);
            if ("backward".equals(plan.get("direction")) && Objects.equals(plan.get("id"), id)) {
                return i;
            }
        }
        throw new UserInputException("plans[" + forward + "] has no backward of the same id; was the whole step run?");
    }

    /** Without training, results are buffers of the code. */
    private static List<@Nullable TensorMeta> results(CompiledCode code) {
        Map<String, TensorMeta> known = new HashMap<>(code.inputs());
        known.putAll(code.buffers());
        List<@Nullable TensorMeta> out = new ArrayList<>();
        for (Statement s : code.statements()) {
            if (s instanceof Statement.Allocate a) {
                known.put(a.name(), a.shape());
            } else if (s instanceof Statement.Alias a && known.get(a.of()) != null) {
                known.put(a.name(), Objects.requireNonNull(known.get(a.of())));
            } else if (s instanceof Statement.Return r) {
                r.names().forEach(name -> out.add(name == null ? null : known.get(name)));
            }
        }
        return out;
    }
}
