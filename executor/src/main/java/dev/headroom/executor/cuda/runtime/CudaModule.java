package dev.headroom.executor.cuda.runtime;

import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.executor.cuda.driver.CudaStatus;
import java.util.HashMap;
import java.util.Map;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.BytePointer;

/** Compiled kernels, loaded into a context. It lives until the context is closed. */
public final class CudaModule {
    private final String name;
    private final CUmod_st module = new CUmod_st();
    private final CompiledKernels compiled;
    private final LaunchArguments arguments;
    private final Map<String, CudaKernel> kernels = new HashMap<>();

    CudaModule(String name, CompiledKernels compiled, LaunchArguments arguments) {
        this.name = name;
        this.compiled = compiled;
        this.arguments = arguments;
        try (BytePointer image = new BytePointer(compiled.image())) {
            CudaStatus.driver("cuModuleLoadData of " + name, cudart.cuModuleLoadData(module, image));
        }
    }

    /**
     * A kernel by its name, or by the text of its template's instance as {@link KernelSource#instances} has it.
     *
     * @throws CudaException when the module has no such kernel
     */
    public CudaKernel kernel(String kernel) {
        return kernels.computeIfAbsent(kernel, this::find);
    }

    private CudaKernel find(String kernel) {
        CUfunc_st function = new CUfunc_st();
        String symbol = compiled.symbols().getOrDefault(kernel, kernel);
        CudaStatus.driver(
                "cuModuleGetFunction of " + kernel + " in " + name,
                cudart.cuModuleGetFunction(function, module, symbol));
        return new CudaKernel(kernel, function, arguments);
    }

    void unload() {
        CudaStatus.driver("cuModuleUnload of " + name, cudart.cuModuleUnload(module));
    }
}
