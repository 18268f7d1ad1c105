package dev.headroom.model.checkpoint;

import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT;
import static dev.headroom.model.scenario.ScenarioSettings.DROP_OUTPUTS;
import static dev.headroom.model.scenario.ScenarioSettings.INPUT_GRAD;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.REENTRANT;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Hand-made chains of modules: every tensor is one MiB. */
public final class Chains {
    public static final long MIB = 1 << 20;
    public static final String SEQUENTIAL = "torch.nn.modules.container.Sequential";

    private final List<Graph.Input> inputs = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, TensorMeta> values = new HashMap<>();
    private final Node.ModuleCall[] outer;
    private String last = "x";

    public Chains(Node.ModuleCall... outer) {
        this.outer = outer;
        value("x", false);
    }

    public static Node.ModuleCall call(String path, String type) {
        return new Node.ModuleCall("call of " + path, path, type);
    }

    private void value(String name, boolean parameter) {
        values.put(
                name,
                new TensorMeta(
                        DType.FLOAT32, List.of(SymExpr.of(MIB / 4)), List.of(SymExpr.of(1)), SymExpr.of(0), parameter));
    }

    /** One more operator on the last value, in a module: the input changes in place when its name ends in {@code _}. */
    public Chains then(String operator, Node.ModuleCall... modules) {
        return from(last, operator, modules);
    }

    public Chains from(String value, String operator, Node.ModuleCall... modules) {
        List<Node.NamedArgument> arguments = new ArrayList<>();
        arguments.add(new Node.NamedArgument("self", new Argument.Value(value)));
        int number = nodes.size();
        if (operator.equals("mul")) {
            String weight = "w" + number;
            inputs.add(new Graph.Input(Graph.InputKind.PARAMETER, weight, "m" + number + ".weight", true));
            value(weight, true);
            arguments.add(new Node.NamedArgument("other", new Argument.Value(weight)));
        }
        List<Node.ModuleCall> stack = new ArrayList<>(List.of(outer));
        stack.addAll(List.of(modules));
        last = "v" + number;
        value(last, false);
        String overload = operator.equals("mul") ? ".Tensor" : ".default";
        nodes.add(new Node("n" + number, "aten." + operator + overload, arguments, List.of(last), stack, ""));
        return this;
    }

    /** The source of the last operator: the lines of its stack trace. */
    public Chains source(String trace) {
        Node node = nodes.remove(nodes.size() - 1);
        nodes.add(new Node(node.name(), node.target(), node.arguments(), node.outputs(), node.moduleStack(), trace));
        return this;
    }

    public Graph graph() {
        List<Graph.Input> all = new ArrayList<>(inputs);
        all.add(new Graph.Input(Graph.InputKind.USER, "x", "x", false));
        Graph.Output out = new Graph.Output(Graph.OutputKind.USER, last, null);
        return new Graph("chain", all, nodes, List.of(out), values, Map.of(), Map.of(), List.of());
    }

    /** @param modules paths of all modules, those included that run no operator; the graph holds no tensors */
    public Graph graph(List<String> modules) {
        Graph g = graph();
        return new Graph(
                g.name(),
                g.inputs(),
                g.nodes(),
                g.outputs(),
                g.values(),
                g.ints(),
                g.symbols(),
                g.state(),
                new ModelState(modules, Map.of(), List.of()));
    }

    /** An {@code nn.Sequential} of modules that run one operator each. */
    public static Graph sequential(int modules, String operator) {
        Chains chain = new Chains(call("", SEQUENTIAL));
        for (int i = 0; i < modules; i++) {
            chain.then(operator, call(Integer.toString(i), "Module"));
        }
        return chain.graph();
    }

    public static Scenario run(int segments, Boolean reentrant) {
        Scenario run = Scenario.defaults()
                .with(OPTIMIZER, OptimizerKind.ADAM)
                .with(LOSS, LossKind.SUM)
                .with(INPUT_GRAD, true)
                .with(DROP_OUTPUTS, true)
                .with(STEPS, 2)
                .with(CHECKPOINT, segments)
                .with(REENTRANT, reentrant);
        return run;
    }
}
