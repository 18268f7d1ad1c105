package dev.headroom.executor.cuda.runtime;

import java.util.List;

/**
 * CUDA C to be compiled. {@code prelude.cuh} is put before it: {@code __half} and {@code __nv_bfloat16} with their
 * conversions from and to {@code float}, {@code int64_t} and {@code INFINITY}, so that kernels need no headers of
 * CUDA's.
 *
 * @param name for messages
 * @param code the source; kernels are {@code extern "C" __global__ void} functions, or templates
 * @param options of NVRTC, such as {@code -DT=float}
 * @param instances of kernel templates to compile, such as {@code add<float>}; a module knows them by these texts
 */
public record KernelSource(String name, String code, List<String> options, List<String> instances) {
    public KernelSource {
        options = List.copyOf(options);
        instances = List.copyOf(instances);
    }

    /** Source without options and templates. */
    public static KernelSource of(String name, String code) {
        return new KernelSource(name, code, List.of(), List.of());
    }
}
