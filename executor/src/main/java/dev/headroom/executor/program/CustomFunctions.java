package dev.headroom.executor.program;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.CustomFunctionNode;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Calls of a {@code torch.autograd.Function}: the forward pass runs without autograd, which sees one node that keeps
 * what the function saved and runs its backward pass.
 *
 * <p>Source: torch/csrc/autograd/python_function.cpp, {@code THPFunction_apply} and {@code PyNode::apply}.
 */
final class CustomFunctions {
    private final Eager eager;
    private final Map<String, Program> passes = new HashMap<>();

    CustomFunctions(Eager eager, Graph graph, Map<String, Long> symbols) {
        this.eager = eager;
        for (Node node : graph.nodes()) {
            if (CustomFunctionNode.isOne(node)) {
                for (Argument.Subgraph body : bodies(node)) {
                    Graph pass = Literals.onDevice(Program.inlined(body.graph()));
                    passes.computeIfAbsent(body.name(), k -> new Program(eager, pass, symbols));
                }
            }
        }
    }

    /** The operators that the passes of a call need, of those that the executor lacks. */
    static Set<String> lacking(Node node) {
        Set<String> out = new TreeSet<>();
        bodies(node).forEach(body -> out.addAll(Program.lacking(Program.inlined(body.graph()))));
        return out;
    }

    private static List<Argument.Subgraph> bodies(Node node) {
        CustomFunctionNode call = CustomFunctionNode.of(node);
        return List.of(call.forward(), call.backward());
    }

    /** {@code Function.apply}: the results are local variables of the running scope. */
    @Nullable
    Tensor[] call(Node node, Map<String, Tensor> values) {
        CustomFunctionNode call = CustomFunctionNode.of(node);
        @Nullable
        Tensor[] inputs = call.inputs().stream()
                .map(name -> name == null ? null : values.get(name))
                .toArray(Tensor[]::new);
        Recorder recorder = eager.record(call.name() + "Backward", inputs);
        boolean mode = eager.tape().setEnabled(false);
        @Nullable Tensor[] made;
        try {
            made = run(call.forward(), inputs);
        } finally {
            eager.tape().setEnabled(mode);
        }
        @Nullable Tensor[] out = Arrays.copyOf(made, call.results());
        for (int i = 0; i < out.length; i++) {
            Tensor t = out[i];
            if (t != null) {
                // custom_function.cpp, _view_as_self_with_no_grad: an input that is returned gets a history of its own
                out[i] = recorder.output(Arrays.asList(inputs).contains(t) ? eager.detach(t) : t);
            }
        }
        SavedTensor[] saved = new SavedTensor[made.length - out.length];
        for (int i = 0; i < saved.length; i++) {
            saved[i] = keep(recorder, made, out.length + i, call);
        }
        recorder.backward(new Gradients(call, out, saved)::of);
        return out;
    }

    /** Attributes of {@code ctx} stay until the node goes, saved tensors until the backward pass has run. */
    private SavedTensor keep(Recorder recorder, @Nullable Tensor[] made, int index, CustomFunctionNode call) {
        Tensor t = made[index];
        int results = call.results();
        if (t != null && recorder.records() && call.attributes().get(index - results)) {
            recorder.attach(t);
        }
        return t != null && Arrays.asList(made).indexOf(t) < results ? recorder.saveOutput(t) : recorder.save(t);
    }

    private @Nullable Tensor[] run(Argument.Subgraph pass, @Nullable Tensor[] given) {
        Map<String, Tensor> inputs = new HashMap<>();
        for (int i = 0; i < given.length; i++) {
            inputs.put(pass.graph().inputs().get(i).value(), given[i]);
        }
        @Nullable
        Tensor[] out =
                Objects.requireNonNull(passes.get(pass.name()), pass.name()).run(inputs);
        for (Tensor t : out) {
            eager.adopt(t);
        }
        return out;
    }

    /** The backward pass of a call. */
    private final class Gradients {
        private final CustomFunctionNode call;
        private final long[][] sizes;
        private final @Nullable DType[] types;
        private final SavedTensor[] saved;

        Gradients(CustomFunctionNode call, @Nullable Tensor[] results, SavedTensor[] saved) {
            this.call = call;
            this.saved = saved;
            this.sizes = new long[results.length][];
            this.types = new DType[results.length];
            for (int i = 0; i < results.length; i++) {
                Tensor t = results[i];
                if (t != null) {
                    sizes[i] = t.sizes();
                    types[i] = t.dtype();
                }
            }
        }

        @Nullable
        Tensor[] of(@Nullable Tensor[] gradients) {
            int results = sizes.length;
            @Nullable Tensor[] given = Arrays.copyOf(gradients, results + saved.length);
            for (int i = 0; i < results; i++) {
                DType type = types[i];
                if (given[i] == null && type != null && type.isFloatingPoint()) {
                    // Undefined gradients are zeros (ctx.materialize_grads) before Python sees them.
                    Tensor zeros = eager.empty(type, sizes[i]);
                    Elementwise.fill(eager, zeros, 0);
                    given[i] = zeros;
                }
            }
            for (int i = 0; i < saved.length; i++) {
                given[results + i] = saved[i].getOrNull();
            }
            return run(call.backward(), given);
        }
    }
}
