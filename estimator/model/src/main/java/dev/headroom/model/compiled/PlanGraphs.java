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
    private final List<CompiledGraph> graphs = new ArrayList<>();
    private final List<Map<?, ?>> plans = new ArrayList<>();
    private final List<?> partitions;

    private final CompiledGraph.Facts facts;

    /** Unless the config decides, Inductor measures whether padded products are faster. */
    private final boolean measuresPadding;

    private PlanGraphs(Map<?, ?> file) {
        this.measuresPadding = measuresPadding(file.get("config"));
        this.facts = facts(file);
        PlanJson.list(file.get("plans"), "plans").forEach(p -> plans.add(PlanJson.object(p, "plans")));
        this.partitions =
                file.get("partitions") == null ? List.of() : PlanJson.list(file.get("partitions"), "partitions");
    }

    /** The graphs of the model in the order of their calls. */
    static List<CompiledGraph> of(Map<?, ?> file) {
        PlanGraphs reader = new PlanGraphs(file);
        reader.read();
        return reader.graphs;
    }

    private void read() {
        int trained = 0;
        for (int i = 0; i < plans.size(); i++) {
            switch (PlanJson.text(plans.get(i).get("direction"), "plans[" + i + "].direction")) {
                case "forward" -> graphs.add(trained(i, trained++));
                // Beside graphs that are trained this is the compiled step of the optimizer.
                case "inference" -> {
                    if (partitions.isEmpty()) {
                        CompiledCode code = code(i);
                        graphs.add(new CompiledGraph(code, null, results(code), List.of(), List.of(), facts, Map.of()));
                    }
                }
                default -> {}
            }
        }
        if (graphs.isEmpty()) {
            throw new UserInputException("it holds no compiled graph of a model; was the backend Inductor?");
        }
    }

    private CompiledCode code(int plan) {
        return CodeReader.read(plans.get(plan), "plans[" + plan + "]");
    }

    private CompiledGraph trained(int plan, int partition) {
        String where = "partitions[" + partition + "]";
        if (partition >= partitions.size()) {
            throw new UserInputException(
                    where + " is missing, which tells what plans[" + plan + "] keeps for backward");
        }
        Map<?, ?> parted = PlanJson.object(partitions.get(partition), where);
        Map<String, Long> symbols = CodeReader.symbols(plans.get(plan).get("symbols"), "plans[" + plan + "]");
        Traced forward = Traced.of(parted.get("forward"), symbols, where + ".forward");
        Traced backward = Traced.of(parted.get("backward"), symbols, where + ".backward");
        int results = PlanJson.count(parted.get("outputs"), where + ".outputs");
        CompiledGraph graph = new CompiledGraph(
                code(plan),
                code(backwardOf(plan)),
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
        for (Object plan : PlanJson.list(file.get("plans"), "plans")) {
            directions.add(PlanJson.text(PlanJson.object(plan, "plans").get("direction"), "plans.direction"));
        }
        boolean step = directions.contains("forward") && directions.contains("inference");
        return new CompiledGraph.Facts(
                type(config.get("dtype")),
                type(config.get("amp")),
                directions.contains("forward"),
                step && !Boolean.FALSE.equals(config.get("compile_optimizer")));
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
