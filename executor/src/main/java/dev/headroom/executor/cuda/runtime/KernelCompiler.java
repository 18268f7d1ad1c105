package dev.headroom.executor.cuda.runtime;

import dev.headroom.executor.cuda.driver.Cleanup;
import dev.headroom.executor.cuda.driver.CudaDevice;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Compiles and loads the kernels of one context; what a process has compiled once is not compiled again. */
final class KernelCompiler implements AutoCloseable {
    private static final Map<Key, CompiledKernels> COMPILED = new ConcurrentHashMap<>();

    private final int capability;
    private final LaunchArguments arguments = new LaunchArguments();
    private final Map<KernelSource, CudaModule> modules = new LinkedHashMap<>();

    private record Key(KernelSource source, int capability) {}

    /** @param device the device that the kernels are for */
    KernelCompiler(CudaDevice device) {
        this.capability = 10 * device.major() + device.minor();
    }

    CudaModule load(KernelSource source) {
        return modules.computeIfAbsent(source, s -> new CudaModule(s.name(), compiled(s), arguments));
    }

    private CompiledKernels compiled(KernelSource source) {
        Key key = new Key(source, capability);
        CompiledKernels compiled = COMPILED.get(key);
        if (compiled == null) {
            compiled = Nvrtc.compile(source, capability);
            COMPILED.put(key, compiled);
        }
        return compiled;
    }

    @Override
    public void close() {
        Cleanup cleanup = new Cleanup();
        modules.values().forEach(module -> cleanup.run(module::unload));
        modules.clear();
        cleanup.run(arguments::close);
        cleanup.finish();
    }
}
