package dev.headroom.executor.cuda.kernel;

import dev.headroom.executor.cuda.runtime.CudaContext;
import dev.headroom.executor.cuda.runtime.CudaModule;
import dev.headroom.executor.cuda.runtime.LaunchShape;
import dev.headroom.executor.kernel.ElementwiseKernels;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Compiles a kernel for each formula and combination of types that is met, and keeps it. */
public final class CudaElementwise implements ElementwiseKernels {
    private final CudaContext context;
    private final Map<Key, CudaModule> modules = new HashMap<>();

    /** Two formulas of one name are one formula; the text is compared to find out when they are not. */
    private record Key(String name, String text, int results, int numbers, List<DType> types, List<Boolean> onDevice) {}

    public CudaElementwise(CudaContext context) {
        this.context = context;
    }

    @Override
    public void map(Formula formula, double[] numbers, Tensor[] results, Tensor... operands) {
        long[] sizes = results[0].sizes();
        long n = Layout.elements(sizes);
        if (n == 0) {
            return;
        }
        List<long[]> strides = new ArrayList<>();
        for (Tensor t : results) {
            strides.add(Layout.expanded(t.sizes(), t.strides(), sizes));
        }
        for (Tensor t : operands) {
            if (t.onDevice()) {
                strides.add(Layout.expanded(t.sizes(), t.strides(), sizes));
            }
        }
        Walk walk = Walk.over(sizes, strides.toArray(new long[0][]));
        List<Object> arguments = new ArrayList<>();
        arguments.add(n);
        if (!walk.isPacked()) {
            arguments.add(bytes(walk));
        }
        for (Tensor t : results) {
            arguments.add(t.address());
        }
        for (Tensor t : operands) {
            arguments.add(t.onDevice() ? (Object) t.address() : (Object) t.number());
        }
        for (double number : numbers) {
            arguments.add(number);
        }
        String kernel = walk.isPacked() ? "packed" : n > Integer.MAX_VALUE ? "strided64" : "strided";
        module(formula, numbers.length, results, operands)
                .kernel(kernel)
                .launch(LaunchShape.elements(n), arguments.toArray());
    }

    private CudaModule module(Formula formula, int numbers, Tensor[] results, Tensor... operands) {
        List<DType> types = new ArrayList<>(List.of(ElementTypes.of(results)));
        types.addAll(List.of(ElementTypes.of(operands)));
        List<Boolean> onDevice = new ArrayList<>();
        for (Tensor t : operands) {
            onDevice.add(t.onDevice());
        }
        Key key = new Key(formula.name(), formula.cuda(), results.length, numbers, types, onDevice);
        return modules.computeIfAbsent(key, k -> {
            boolean[] tensors = new boolean[operands.length];
            for (int i = 0; i < tensors.length; i++) {
                tensors[i] = operands[i].onDevice();
            }
            FormulaSource source = new FormulaSource(formula, results.length, numbers, tensors);
            return context.load(source.source(types.toArray(new DType[0])));
        });
    }

    /** The kernel's {@code struct Walk}. */
    private static byte[] bytes(Walk walk) {
        int dims = walk.sizes().length;
        if (dims > DeviceView.DIMS) {
            throw DeviceView.tooManyDimensions(dims);
        }
        ByteBuffer out = ByteBuffer.allocate((1 + (1 + walk.strides().length) * DeviceView.DIMS) * Long.BYTES)
                .order(ByteOrder.nativeOrder());
        out.putLong(dims);
        for (int d = 0; d < dims; d++) {
            out.putLong((1 + d) * Long.BYTES, walk.sizes()[d]);
            for (int t = 0; t < walk.strides().length; t++) {
                out.putLong((1 + (1 + t) * DeviceView.DIMS + d) * Long.BYTES, walk.strides()[t][d]);
            }
        }
        return out.array();
    }
}
