package dev.headroom.model.adapter.peft;

import dev.headroom.model.adapter.OuterModel;
import dev.headroom.model.adapter.peft.graph.Frames;
import dev.headroom.model.adapter.peft.graph.WrappedState;
import dev.headroom.model.adapter.peft.graph.Wrapping.Added;
import dev.headroom.model.dsl.Arguments;
import dev.headroom.model.graph.Addition;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes what peft's model runs before the model that it holds, with prompts of an encoder (peft, peft_model.py). */
final class OuterWriter {
    /** The module of the encoder. */
    static final String ENCODER = "prompt_encoder.default";

    /** The call of peft's model. */
    static final Node.ModuleCall AROUND = OuterModel.call("peft", "peft.peft_model.PeftModelForCausalLM");

    private static final String FILE = "peft/peft_model.py";

    private final String prefix;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Node.ModuleCall> inner = new ArrayList<>();
    private String text = "";
    private int line;

    /** @param prefix of values' names */
    OuterWriter(String prefix) {
        this.prefix = prefix;
    }

    /** Begins a line of Python. */
    void line(String statement) {
        line++;
        text = Frames.line(FILE, line, statement);
    }

    /** Begins a line of the function or module that the outer line calls. */
    void innerLine(String statement) {
        int end = text.indexOf("File \"", 1);
        text = (end < 0 ? text : text.substring(0, end)) + Frames.line(FILE, ++line, statement);
    }

    /** The trace of the line. */
    String text() {
        return text;
    }

    /** Enters a call; {@code null} leaves it. */
    void within(Node.@Nullable ModuleCall call) {
        inner.clear();
        if (call != null) {
            inner.add(call);
        }
    }

    void add(Node node) {
        nodes.add(node);
    }

    /** Adds an operator of a result with a name of its own. */
    String op(String target, Object... arguments) {
        String out = prefix + nodes.size();
        nodes.add(node(out, target, arguments));
        return out;
    }

    /** Adds an operator of several results. */
    List<String> ops(String target, int results, Object... arguments) {
        String out = prefix + nodes.size();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < results; i++) {
            names.add(out + "_" + i);
        }
        Node one = node(out, target, arguments);
        nodes.add(new Node(out, target, one.arguments(), names, one.moduleStack(), one.stackTrace()));
        return names;
    }

    /** An operator of a result. */
    Node node(String out, String target, Object... arguments) {
        List<Node.NamedArgument> list = new ArrayList<>();
        for (int i = 0; i < arguments.length; i += 2) {
            Object given = arguments[i + 1];
            list.add(new Node.NamedArgument(
                    (String) arguments[i],
                    given instanceof String name ? new Argument.Value(name) : Arguments.of(given)));
        }
        List<Node.ModuleCall> calls = new ArrayList<>(List.of(AROUND));
        calls.addAll(inner);
        boolean lacks = !inner.isEmpty() && text.indexOf("File \"", 1) < 0;
        String trace = lacks ? text + Frames.line(FILE, 0, "return") : text;
        return new Node(out, target, list, List.of(out), calls, trace);
    }

    /** Says that variables of peft's model hold values until here. */
    void hold(List<String> values) {
        List<Node.NamedArgument> kept = List.of(new Node.NamedArgument("a", new Argument.Values(values)));
        nodes.add(new Node(
                prefix + "_held", "aten._assert_tensor_metadata.default", kept, List.of(), List.of(AROUND), text));
    }

    /**
     * The frozen model with what was written, and the encoder's parameters behind its own.
     *
     * @param values as the new graph has them
     * @param inputs of the new graph but for the parameters
     * @param modules of the encoder, besides its embedding
     */
    Graph around(
            Graph graph,
            Map<String, TensorMeta> values,
            List<Graph.Input> inputs,
            List<String> modules,
            List<Added> parameters) {
        ModelState state = graph.held();
        List<String> paths = new ArrayList<>(state.modules());
        paths.addAll(List.of("prompt_encoder", ENCODER, ENCODER + ".embedding"));
        modules.forEach(m -> paths.add(ENCODER + "." + m));
        Map<String, HeldTensor> tensors = new LinkedHashMap<>(state.tensors());
        Map<String, TensorMeta> metas = new LinkedHashMap<>(values);
        List<Graph.Input> all = new ArrayList<>();
        List<Addition> additions = new ArrayList<>(state.additions());
        List<String> persistent = new ArrayList<>(graph.state());
        for (Added p : parameters) {
            TensorMeta meta = WrappedState.meta(p.sizes(), DType.FLOAT32, true);
            HeldTensor held = new HeldTensor(p.kind(), meta, true, p.value(), p.name());
            tensors.put(p.name(), held.of(DType.FLOAT32).later());
            metas.put(p.value(), meta);
            all.add(new Graph.Input(p.kind(), p.value(), p.name(), true));
            additions.add(p.made(DType.FLOAT32));
            persistent.add(p.name());
        }
        all.addAll(inputs);
        return new Graph(
                graph.name(),
                all,
                nodes,
                graph.outputs(),
                metas,
                graph.ints(),
                graph.symbols(),
                persistent,
                new ModelState(paths, tensors, state.notes(), state.loaded(), additions));
    }
}
