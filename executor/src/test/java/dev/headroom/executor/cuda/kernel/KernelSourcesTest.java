package dev.headroom.executor.cuda.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.executor.cuda.RealCompiler;
import dev.headroom.executor.cuda.runtime.KernelSource;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.ExampleFormulas;
import dev.headroom.model.graph.DType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** NVIDIA's compiler takes every kernel. Skipped where there is no NVRTC. */
class KernelSourcesTest {
    private static final int OLDEST = 75;

    @Test
    void filesCompile() throws IOException, InterruptedException {
        List<KernelSource> sources = new ArrayList<>();
        for (DType type : new DType[] {DType.FLOAT16, DType.FLOAT64}) {
            DType wide = type.isReducedFloat() ? DType.FLOAT32 : type;
            sources.add(KernelFiles.source("attention", type, wide, type, type));
            sources.add(KernelFiles.source("convolutions", type));
            sources.add(KernelFiles.source("losses", type, type));
            sources.add(KernelFiles.source("normalizations", type, wide, wide, wide));
            sources.add(KernelFiles.source("poolings", type, type, DType.INT64));
            sources.add(KernelFiles.source("softmaxes", type, wide, type));
            sources.add(KernelFiles.source("matrices", type, type, type));
            sources.add(KernelFiles.source("volumes", type, type));
            sources.add(KernelFiles.source("regions", type, type));
            sources.add(KernelFiles.source("bags", type));
            sources.add(KernelFiles.source("patches", type));
            sources.add(KernelFiles.source("distances", type));
            sources.add(KernelFiles.source("fourier", type));
            sources.add(KernelFiles.source("masks", type));
            sources.add(KernelFiles.source("search", type, DType.INT32));
        }
        for (DType type : new DType[] {DType.BFLOAT16, DType.INT64, DType.BOOL}) {
            sources.add(KernelFiles.source("indexing", type));
            sources.add(KernelFiles.source("random", type));
            sources.add(KernelFiles.source("reductions", DType.INT64, type));
        }
        assertEquals("", RealCompiler.compile(sources, OLDEST));
    }

    @Test
    void formulasCompile() throws IOException, InterruptedException {
        Set<String> functions = new LinkedHashSet<>();
        for (ExampleFormulas.Use use : ExampleFormulas.all()) {
            boolean[] onDevice = new boolean[use.onDevice().size()];
            FormulaSource source = new FormulaSource(use.formula(), use.results(), use.numbers(), onDevice);
            functions.add(source.function());
        }
        StringBuilder all = new StringBuilder("extern \"C\" __global__ void none() {}\n");
        for (String function : functions) {
            all.append("namespace formula").append(all.length()).append(" {\n");
            all.append(function).append("}\n");
        }
        List<KernelSource> sources = List.of(
                KernelFiles.source("formulas", all.toString(), DType.FLOAT32),
                KernelFiles.source("formulas", all.toString(), DType.FLOAT64),
                new FormulaSource(Formula.unary("copy", "x0", x -> x), 1, 0, true).source(DType.BFLOAT16, DType.BOOL),
                new FormulaSource(Formula.binary("sum", "x0 + x1", Double::sum), 1, 0, true, false)
                        .source(DType.INT64, DType.FLOAT16, DType.FLOAT64));
        assertEquals("", RealCompiler.compile(sources, OLDEST));
    }
}
