package dev.headroom.executor.op;

import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.kernel.ElementwiseKernels;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The formulas that the operators' examples compute, forward and backward. */
public final class ExampleFormulas {
    private final Map<List<Object>, Use> uses = new LinkedHashMap<>();

    private ExampleFormulas() {}

    /**
     * A formula as an operator used it.
     *
     * @param types of results, then of operands
     * @param onDevice by operand
     */
    public record Use(Formula formula, int results, int numbers, List<DType> types, List<Boolean> onDevice) {}

    /** Every formula in the types in which the examples meet it in single precision. */
    public static List<Use> all() {
        ExampleFormulas formulas = new ExampleFormulas();
        for (Example example : Examples.all()) {
            try (HostBackend host = new HostBackend(1L << 30);
                    ExampleRun run = new ExampleRun(example, DType.FLOAT32, formulas.watching(host))) {
                List<double[]> weights = new ArrayList<>(run.forward());
                weights.replaceAll(w -> w == null ? null : new double[w.length]);
                run.gradients(weights);
            }
        }
        return List.copyOf(formulas.uses.values());
    }

    /** The same backend, whose element-wise kernels are noted. */
    private Backend watching(Backend host) {
        ElementwiseKernels noting = (formula, numbers, results, operands) -> {
            note(formula, numbers, results, operands);
            host.elementwise().map(formula, numbers, results, operands);
        };
        return (Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(), new Class<?>[] {Backend.class}, (proxy, method, arguments) -> {
                    try {
                        return method.getName().equals("elementwise") ? noting : method.invoke(host, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void note(Formula formula, double[] numbers, Tensor[] results, Tensor... operands) {
        List<DType> types = new ArrayList<>();
        List<Boolean> onDevice = new ArrayList<>();
        for (Tensor t : results) {
            types.add(t.dtype());
        }
        for (Tensor t : operands) {
            types.add(t.dtype());
            onDevice.add(t.onDevice());
        }
        uses.putIfAbsent(
                List.of(formula.name(), formula.cuda(), types, onDevice),
                new Use(formula, results.length, numbers.length, types, onDevice));
    }
}
