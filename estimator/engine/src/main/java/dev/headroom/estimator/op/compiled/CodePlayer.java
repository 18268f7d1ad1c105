package dev.headroom.estimator.op.compiled;

import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.compiled.CompiledCode;
import dev.headroom.model.compiled.Statement;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Runs the generated code of a graph: each of its variables is a tensor, and a storage ends with the last variable that
 * names it.
 */
final class CodePlayer {
    private final EagerRuntime rt;
    private final CompiledCode code;
    private final boolean sparing;
    private final Map<String, Tensor> variables = new HashMap<>();

    /** What a call with several results made, by its own name. */
    private final Map<String, Map<Integer, Tensor>> items = new HashMap<>();

    /** Tensors that lie in another one's storage, perhaps in another shape. */
    private final Set<Tensor> renamed = Collections.newSetFromMap(new IdentityHashMap<>());

    /**
     * @param sparing whether kernels are tuned without a new peak of memory: {@code optimize_mem} of Inductor's
     *     kernels, of backward and of graphs that are not trained
     */
    CodePlayer(EagerRuntime rt, CompiledCode code, boolean sparing) {
        this.rt = rt;
        this.code = code;
        this.sparing = sparing;
    }

    /**
     * Runs the code.
     *
     * @param arguments one an argument, {@code null} for numbers; local variables of the running frame, which the code
     *     frees
     * @return what it returns, local variables of the running frame; {@code null} for what is no tensor
     */
    @Nullable
    Tensor[] play(List<@Nullable Tensor> arguments) {
        for (int i = 0; i < code.arguments().size() && i < arguments.size(); i++) {
            Tensor given = arguments.get(i);
            if (given != null) {
                variables.put(code.arguments().get(i), given);
            }
        }
        int before = rt.attribution();
        for (Statement s : code.statements()) {
            if (s instanceof Statement.Return r) {
                rt.attribute(before);
                return returned(r.names());
            }
            run(s);
        }
        throw new IllegalStateException("code without a return");
    }

    private void run(Statement s) {
        if (s instanceof Statement.Allocate a) {
            attribute(a.by());
            bind(
                    a.name(),
                    a.onHost()
                            ? rt.hostTensor(a.shape().dtype(), known(a.shape().sizes()))
                            : make(a.shape()));
        } else if (s instanceof Statement.Alias a) {
            Tensor of = variables.get(a.of());
            if (of != null) {
                bind(a.name(), rt.detach(of));
                renamed.add(variables.get(a.name()));
            }
        } else if (s instanceof Statement.Call c) {
            attribute(c.function());
            call(c);
        } else if (s instanceof Statement.Item i) {
            item(i);
        } else if (s instanceof Statement.Extern e) {
            attribute(e.function());
            LibraryCalls.run(e.function(), rt, List.of());
        } else if (s instanceof Statement.Kernel k && rt.options().tunesKernels()) {
            KernelTuning.of(rt).run(code, k.name(), tensors(k.changed()), tensors(k.others()), sparing);
        } else if (s instanceof Statement.Free f) {
            f.names().forEach(this::free);
        }
    }

    /** Reports name kernels where the code does, under the name that PyTorch's profiler shows. */
    private void attribute(String kernel) {
        if (!kernel.isEmpty()) {
            Attribution running = rt.attribution(rt.attribution());
            String name = kernel.replace("torch.ops.", "").replace("extern_kernels.", "aten.");
            rt.attribute(rt.number(new Attribution(running.module(), name, running.node())));
        }
    }

    private Tensor make(TensorMeta meta) {
        return make(rt, meta);
    }

    /** {@code empty_strided}: as large as the strides reach, which may be padded. */
    static Tensor make(EagerRuntime rt, TensorMeta meta) {
        long[] sizes = known(meta.sizes());
        long[] strides = known(meta.strides());
        long reach = Shapes.numel(sizes) == 0 ? 0 : 1;
        for (int i = 0; i < sizes.length && reach > 0; i++) {
            reach += (sizes[i] - 1) * strides[i];
        }
        if (reach == Shapes.numel(sizes)) {
            return rt.emptyStrided(meta.dtype(), sizes, strides);
        }
        Tensor whole = rt.empty(meta.dtype(), reach);
        Tensor out = rt.reinterpret(whole, sizes, strides, 0);
        rt.free(whole);
        return out;
    }

    static long[] known(List<SymExpr> sizes) {
        return sizes.stream().mapToLong(s -> s.evaluate(Map.of())).toArray();
    }

    /** A call makes its results in their order; {@link Statement.Item} only gives them names. */
    private void call(Statement.Call c) {
        TensorMeta single = code.buffers().get(c.name());
        List<Tensor> made = new ArrayList<>();
        List<Tensor> given = tensors(c.arguments());
        List<Tensor> operands = LibraryCalls.operands(c.function(), rt, given, t -> !renamed.contains(t));
        Map<Integer, String> names = new TreeMap<>();
        for (Statement s : code.statements()) {
            if (s instanceof Statement.Item i && i.of().equals(c.name())) {
                names.putIfAbsent(i.index(), i.name());
            }
        }
        if (names.isEmpty()) {
            if (single != null) {
                Tensor result = make(single);
                LibraryCalls.made(c.function(), rt, 0, result, operands);
                made.add(result);
                bind(c.name(), result);
            }
        } else {
            Map<Integer, Tensor> byIndex = new TreeMap<>();
            names.forEach((index, name) -> {
                TensorMeta meta = code.buffers().get(name);
                if (meta != null) {
                    Tensor result = make(meta);
                    LibraryCalls.made(c.function(), rt, index, result, operands);
                    byIndex.put(index, result);
                }
            });
            items.put(c.name(), byIndex);
            made.addAll(byIndex.values());
        }
        LibraryCalls.run(c.function(), rt, made);
        for (int i = 0; i < operands.size(); i++) {
            rt.freeUnless(operands.get(i), given.get(i));
        }
    }

    private List<Tensor> tensors(List<String> names) {
        return names.stream().map(variables::get).filter(Objects::nonNull).toList();
    }

    private void item(Statement.Item i) {
        Map<Integer, Tensor> made = items.get(i.of());
        Tensor result = made == null ? null : made.get(i.index());
        if (result != null) {
            bind(i.name(), rt.detach(result));
        }
    }

    private void bind(String name, Tensor t) {
        Tensor before = variables.put(name, t);
        rt.free(before);
    }

    private void free(String name) {
        rt.free(variables.remove(name));
        Map<Integer, Tensor> made = items.remove(name);
        if (made != null) {
            rt.freeAll(made.values());
        }
    }

    private @Nullable Tensor[] returned(List<@Nullable String> names) {
        Tensor[] out = new Tensor[names.size()];
        for (int i = 0; i < out.length; i++) {
            String name = names.get(i);
            out[i] = name == null ? null : variables.get(name);
        }
        return out;
    }
}
