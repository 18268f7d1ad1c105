package dev.headroom.estimator.op.compiled;

import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.compiled.CompiledCode;
import dev.headroom.model.compiled.CompiledGraph;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A call of a compiled graph: {@code CompiledFunction} of torch/_functorch/_aot_autograd/runtime_wrappers.py, one node
 * of autograd's graph. What forward returns behind its results is kept; backward gets it, then the gradients of the
 * results, of which it lets go as the generated code does.
 */
final class CompiledCall {
    private final EagerRuntime rt;
    private final CompiledGraph graph;
    private final Tensor[] inputs;

    private CompiledCall(EagerRuntime rt, CompiledGraph graph, Tensor[] inputs) {
        this.rt = rt;
        this.graph = graph;
        this.inputs = inputs;
    }

    static Tensor[] run(Call c) {
        Argument.Attached code = (Argument.Attached) c.argument(1);
        if (c.has("traced") && c.runtime().workspaces().firstTime(c.node())) {
            for (Tensor t : c.tensors("traced")) {
                c.runtime().hold(t);
            }
        }
        return new CompiledCall(c.runtime(), (CompiledGraph) code.content(), c.tensors("inputs")).forward();
    }

    private Tensor[] forward() {
        if (rt.workspaces().firstTime(graph)) {
            PaddingTrials trials = new PaddingTrials(rt);
            graph.trials().forEach(trials::run);
        }
        Recorder r = rt.record("CompiledFunctionBackward", inputs);
        Tensor[] made = played(graph.forward(), borrowed(), graph.backward() == null);
        Tensor[] results = new Tensor[graph.results().size()];
        for (int i = 0; i < results.length; i++) {
            results[i] = result(made[i], graph.results().get(i));
        }
        List<Saved> kept = new ArrayList<>();
        for (int i = results.length; i < made.length; i++) {
            if (made[i] != null) {
                kept.add(r.save(made[i]));
            }
        }
        CompiledCode backward = graph.backward();
        if (backward != null) {
            r.gradients(gradients -> backward(backward, kept, gradients));
        }
        for (Tensor result : results) {
            if (result != null) { // a number is none
                r.output(result);
            }
        }
        if (graph.facts().cudaGraphs()) {
            CudaGraphs.of(rt).returned(results);
        }
        Arrays.stream(made).forEach(rt::free);
        return results;
    }

    private @Nullable Tensor[] played(CompiledCode code, List<@Nullable Tensor> arguments, boolean sparing) {
        CodePlayer player = new CodePlayer(rt, code, sparing);
        return graph.facts().cudaGraphs() ? CudaGraphs.of(rt).run(code, player, arguments) : player.play(arguments);
    }

    /** Arguments of forward are the caller's, who keeps them. */
    private List<@Nullable Tensor> borrowed() {
        List<@Nullable Tensor> out = new ArrayList<>();
        for (Tensor t : inputs) {
            out.add(t == null ? null : rt.detach(t));
        }
        return out;
    }

    private @Nullable Tensor result(@Nullable Tensor made, @Nullable TensorMeta as) {
        return made == null || as == null
                ? null
                : rt.reinterpret(made, as.dtype(), CodePlayer.known(as.sizes()), CodePlayer.known(as.strides()), 0);
    }

    private Tensor[] backward(CompiledCode code, List<Saved> kept, Tensor[] gradients) {
        makeZeros(gradients);
        List<Tensor> autograds = rt.options().torch().handsOverGradients() ? List.of() : held(gradients);
        List<@Nullable Tensor> arguments = new ArrayList<>();
        Set<Tensor> given = Collections.newSetFromMap(new IdentityHashMap<>());
        int next = 0;
        int tangent = 0;
        for (String name : code.arguments()) {
            if (!code.inputs().containsKey(name)) {
                arguments.add(null);
            } else if (name.startsWith("tangents_")) {
                tangent = differentiable(tangent, gradients);
                arguments.add(handedOver(
                        gradients,
                        tangent++,
                        Objects.requireNonNull(code.inputs().get(name))));
            } else {
                Tensor handed = kept.get(next++).handedTo(rt);
                // What is kept under two names is let go of under each.
                arguments.add(handed == null || given.add(handed) ? handed : rt.detach(handed));
            }
        }
        Tensor[] made = played(code, arguments, true);
        autograds.forEach(rt::release);
        Tensor[] out = new Tensor[inputs.length];
        for (int i = 0; i < out.length && i < made.length; i++) {
            out[i] = gradient(made[i], i);
        }
        return out;
    }

    /** Gradients that autograd keeps until the pass returns. */
    private List<Tensor> held(Tensor[] gradients) {
        return Arrays.stream(gradients).filter(Objects::nonNull).map(rt::hold).toList();
    }

    private static int differentiable(int from, Tensor[] gradients) {
        int i = from;
        while (i < gradients.length && gradients[i] == null) {
            i++;
        }
        return i;
    }

    /** Gradients of results that nothing used are zeros (torch/csrc/autograd/python_function.cpp, PyNode::apply). */
    private void makeZeros(Tensor[] gradients) {
        for (int i = 0; i < gradients.length; i++) {
            TensorMeta result = graph.results().get(i);
            if (gradients[i] == null && result != null && result.dtype().isFloatingPoint()) {
                gradients[i] = rt.hold(Creation.zeros(rt, result.dtype(), CodePlayer.known(result.sizes())));
                rt.free(gradients[i]);
            }
        }
    }

    /** A gradient becomes the code's own; one of another layout than was compiled for is copied first. */
    private Tensor handedOver(Tensor[] gradients, int i, TensorMeta expected) {
        Tensor given = gradients[i];
        gradients[i] = null;
        rt.adopt(given);
        long[] strides = CodePlayer.known(expected.strides());
        if (Arrays.equals(given.strides(), strides) || given.numel() <= 1) {
            return given;
        }
        Tensor copy = rt.emptyStrided(given.dtype(), given.sizes(), strides);
        rt.free(given);
        return copy;
    }

    private @Nullable Tensor gradient(@Nullable Tensor made, int input) {
        TensorMeta traced = input < graph.gradients().size() ? graph.gradients().get(input) : null;
        if (made == null || traced == null) {
            return null;
        }
        long[] sizes = CodePlayer.known(traced.sizes());
        return Arrays.equals(sizes, made.sizes())
                ? made
                : rt.reinterpret(made, traced.dtype(), sizes, CodePlayer.known(traced.strides()), 0);
    }
}
