package dev.headroom.executor.cuda.kernel;

import dev.headroom.executor.cuda.runtime.CudaContext;
import dev.headroom.executor.cuda.runtime.CudaKernel;
import dev.headroom.executor.cuda.runtime.CudaModule;
import dev.headroom.executor.cuda.runtime.KernelSource;
import dev.headroom.model.graph.DType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The kernels of the resource files, compiled for the element types that a run meets. A file is written for the types
 * {@code T0, T1, …} of its tensors and {@code real} to compute in; {@code tensor.cuh} is put before it.
 */
public final class KernelFiles {
    private static final String COMMON = text("tensor.cuh");

    private final CudaContext context;
    private final Map<Key, CudaModule> modules = new HashMap<>();

    private record Key(String file, List<DType> types) {}

    public KernelFiles(CudaContext context) {
        this.context = context;
    }

    /**
     * @param file without its ending, such as {@code random}
     * @param kernel the function's name
     */
    public CudaKernel kernel(String file, String kernel, DType... types) {
        return modules.computeIfAbsent(new Key(file, List.of(types)), k -> context.load(source(file, types)))
                .kernel(kernel);
    }

    /** A file's source for element types. */
    static KernelSource source(String file, DType... types) {
        return source(file + ".cu", text(file + ".cu"), types);
    }

    /** A source of other origin with the same beginning. */
    static KernelSource source(String name, String code, DType... types) {
        StringBuilder names = new StringBuilder();
        for (int i = 0; i < types.length; i++) {
            names.append("typedef ")
                    .append(ElementTypes.name(types[i]))
                    .append(" T")
                    .append(i)
                    .append(";\n");
        }
        names.append("typedef ").append(ElementTypes.real(types)).append(" real;\n");
        return KernelSource.of(name, names + COMMON + "#line 1 \"" + name + "\"\n" + code);
    }

    private static String text(String name) {
        try (InputStream in = KernelFiles.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
