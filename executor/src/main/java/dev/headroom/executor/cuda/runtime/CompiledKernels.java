package dev.headroom.executor.cuda.runtime;

import java.util.Map;

/**
 * What NVRTC made of a source.
 *
 * @param image machine code (CUBIN), or PTX with its closing zero byte
 * @param symbols the symbol of each template instance
 */
public record CompiledKernels(byte[] image, Map<String, String> symbols) {}
