package dev.headroom.executor.cuda.kernel;

import dev.headroom.executor.cuda.runtime.KernelSource;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The kernels of a formula for element types: {@code packed} for tensors that lie element behind element alike,
 * {@code strided} for all others, {@code strided64} when there are more elements than 32 bits count.
 */
final class FormulaSource {
    private final Formula formula;
    private final int results;
    private final int operands;
    private final int numbers;
    private final boolean[] onDevice;

    /**
     * @param onDevice by operand: whether it is a tensor rather than a number in host memory
     */
    FormulaSource(Formula formula, int results, int numbers, boolean... onDevice) {
        this.formula = formula;
        this.results = results;
        this.operands = onDevice.length;
        this.numbers = numbers;
        this.onDevice = onDevice;
    }

    /** @param types of results, then of operands */
    KernelSource source(DType... types) {
        String code = function()
                + walk()
                + body("packed", "int64_t", false)
                + body("strided", "uint32_t", true)
                + body("strided64", "int64_t", true);
        return KernelFiles.source(formula.name(), code, types);
    }

    /** The formula in a function of its own, so that it can name its variables as it likes. */
    String function() {
        List<String> parameters = new ArrayList<>();
        range(results).forEach(i -> parameters.add("real &y" + i));
        range(operands).forEach(i -> parameters.add("real x" + i));
        range(numbers).forEach(i -> parameters.add("real s" + i));
        return "static inline __device__ void compute(" + String.join(", ", parameters) + ") {\n" + formula.cuda()
                + "\n}\n";
    }

    private String walk() {
        return "struct Walk {\n int64_t dims;\n int64_t size[DIMS];\n int64_t stride[" + tensors() + "][DIMS];\n};\n";
    }

    private String body(String name, String index, boolean strided) {
        StringBuilder code = new StringBuilder("extern \"C\" __global__ void ").append(name);
        code.append('(').append(String.join(", ", parameters(strided))).append(") {\n");
        code.append(" int64_t number = thread_number();\n if (number >= n) return;\n");
        if (strided) {
            code.append(" int64_t place[").append(tensors()).append("] = {};\n");
            code.append(" ").append(index).append(" rest = number;\n");
            code.append(" for (int d = (int)walk.dims - 1; d >= 0; d--) {\n");
            code.append("  ").append(index).append(" size = walk.size[d], outer = d > 0 ? rest / size : 0;\n");
            code.append("  int64_t along = rest - outer * size;\n");
            code.append("  for (int t = 0; t < ").append(tensors()).append("; t++)");
            code.append(" place[t] += along * walk.stride[t][d];\n  rest = outer;\n }\n");
        }
        range(results).forEach(i -> code.append(" real y").append(i).append(" = 0;\n"));
        code.append(" compute(").append(String.join(", ", values(strided))).append(");\n");
        range(results)
                .forEach(i ->
                        code.append(" r" + i + "[" + place(strided, i) + "] = Element<T" + i + ">::of(y" + i + ");\n"));
        return code.append("}\n").toString();
    }

    private List<String> parameters(boolean strided) {
        List<String> out = new ArrayList<>(List.of("int64_t n"));
        if (strided) {
            out.add("Walk walk");
        }
        range(results).forEach(i -> out.add("T" + i + " *r" + i));
        range(operands).forEach(i -> out.add((onDevice[i] ? "const T" + (results + i) + " *" : "double ") + "o" + i));
        range(numbers).forEach(i -> out.add("double s" + i));
        return out;
    }

    /** What {@code compute} is called with. */
    private List<String> values(boolean strided) {
        List<String> out = new ArrayList<>();
        range(results).forEach(i -> out.add("y" + i));
        int tensor = results;
        for (int i = 0; i < operands; i++) {
            out.add("(real)o" + i + (onDevice[i] ? "[" + place(strided, tensor++) + "]" : ""));
        }
        range(numbers).forEach(i -> out.add("(real)s" + i));
        return out;
    }

    private static String place(boolean strided, int tensor) {
        return strided ? "place[" + tensor + "]" : "number";
    }

    /** Tensors on the device. */
    private int tensors() {
        return results + (int) range(operands).filter(i -> onDevice[i]).count();
    }

    private static IntStream range(int n) {
        return IntStream.range(0, n);
    }
}
