package dev.headroom.executor.cuda.runtime;

import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.executor.cuda.driver.CudaLibraries;
import dev.headroom.executor.cuda.driver.CudaStatus;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.cuda.global.nvrtc;
import org.bytedeco.cuda.nvrtc._nvrtcProgram;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.javacpp.SizeTPointer;

/** NVIDIA's runtime compiler: CUDA C into code for one compute capability. It needs no device. */
public final class Nvrtc {
    private static final String PRELUDE = prelude();

    private Nvrtc() {}

    /**
     * Compiles to machine code when this NVRTC knows the capability; for a newer device to PTX of the newest capability
     * that it knows, which the driver translates.
     *
     * @param capability ten times the major number plus the minor one
     * @throws CudaException when the source has errors, with the first one, or the device is too old for CUDA 13
     */
    public static CompiledKernels compile(KernelSource source, int capability) {
        CudaLibraries.loadCompiler();
        int target = target(capability, supported());
        List<String> options = new ArrayList<>(source.options());
        options.add("--gpu-architecture=" + (target == capability ? "sm_" : "compute_") + target);
        options.add("--std=c++17");
        String code = PRELUDE + "#line 1 \"" + source.name() + "\"\n" + source.code();
        _nvrtcProgram program = new _nvrtcProgram();
        try (BytePointer text = new BytePointer(code, StandardCharsets.UTF_8);
                BytePointer name = new BytePointer(source.name(), StandardCharsets.UTF_8)) {
            CudaStatus.compiler(
                    "nvrtcCreateProgram",
                    nvrtc.nvrtcCreateProgram(
                            program, text, name, 0, (PointerPointer<?>) null, (PointerPointer<?>) null));
            try {
                return compile(program, source, options, target == capability);
            } finally {
                nvrtc.nvrtcDestroyProgram(program);
            }
        }
    }

    /** The newest supported capability that runs on this one. */
    static int target(int capability, int... supported) {
        int best = Arrays.stream(supported).filter(s -> s <= capability).max().orElse(0);
        if (best == 0) {
            throw new CudaException("this device's compute capability " + capability / 10 + "." + capability % 10
                    + " is older than what CUDA 13 compiles for ("
                    + Arrays.stream(supported).min().orElse(0) / 10.0 + " and newer)");
        }
        return best;
    }

    private static CompiledKernels compile(
            _nvrtcProgram program, KernelSource source, List<String> options, boolean machineCode) {
        for (String instance : source.instances()) {
            CudaStatus.compiler(
                    "nvrtcAddNameExpression of " + instance, nvrtc.nvrtcAddNameExpression(program, instance));
        }
        try (PointerPointer<BytePointer> arguments = new PointerPointer<>(options.toArray(new String[0]))) {
            int status = nvrtc.nvrtcCompileProgram(program, options.size(), arguments);
            if (status == nvrtc.NVRTC_ERROR_COMPILATION) {
                throw new CudaException(
                        "the kernels of " + source.name() + " do not compile: " + firstError(log(program)),
                        "nvrtcCompileProgram",
                        status);
            }
            CudaStatus.compiler("nvrtcCompileProgram of " + source.name(), status);
        }
        return new CompiledKernels(machineCode ? machineCode(program) : ptx(program), symbols(program, source));
    }

    private static Map<String, String> symbols(_nvrtcProgram program, KernelSource source) {
        Map<String, String> symbols = new HashMap<>();
        for (String instance : source.instances()) {
            try (BytePointer name = new BytePointer(instance, StandardCharsets.UTF_8);
                    PointerPointer<BytePointer> symbol = new PointerPointer<>(1)) {
                CudaStatus.compiler(
                        "nvrtcGetLoweredName of " + instance, nvrtc.nvrtcGetLoweredName(program, name, symbol));
                symbols.put(instance, symbol.get(BytePointer.class, 0).getString());
            }
        }
        return symbols;
    }

    private static byte[] machineCode(_nvrtcProgram program) {
        try (SizeTPointer size = new SizeTPointer(1)) {
            CudaStatus.compiler("nvrtcGetCUBINSize", nvrtc.nvrtcGetCUBINSize(program, size));
            byte[] image = new byte[Math.toIntExact(size.get())];
            CudaStatus.compiler("nvrtcGetCUBIN", nvrtc.nvrtcGetCUBIN(program, image));
            return image;
        }
    }

    private static byte[] ptx(_nvrtcProgram program) {
        try (SizeTPointer size = new SizeTPointer(1)) {
            CudaStatus.compiler("nvrtcGetPTXSize", nvrtc.nvrtcGetPTXSize(program, size));
            byte[] image = new byte[Math.toIntExact(size.get())];
            CudaStatus.compiler("nvrtcGetPTX", nvrtc.nvrtcGetPTX(program, image));
            return image;
        }
    }

    private static String log(_nvrtcProgram program) {
        try (SizeTPointer size = new SizeTPointer(1)) {
            CudaStatus.compiler("nvrtcGetProgramLogSize", nvrtc.nvrtcGetProgramLogSize(program, size));
            byte[] log = new byte[Math.toIntExact(size.get())];
            CudaStatus.compiler("nvrtcGetProgramLog", nvrtc.nvrtcGetProgramLog(program, log));
            return new String(log, StandardCharsets.UTF_8).replace("\0", "");
        }
    }

    private static String firstError(String log) {
        return log.lines()
                .filter(line -> line.contains("error"))
                .findFirst()
                .or(() -> log.lines().findFirst())
                .orElse("no message")
                .strip();
    }

    private static int[] supported() {
        int[] count = new int[1];
        CudaStatus.compiler("nvrtcGetNumSupportedArchs", nvrtc.nvrtcGetNumSupportedArchs(count));
        int[] supported = new int[count[0]];
        CudaStatus.compiler("nvrtcGetSupportedArchs", nvrtc.nvrtcGetSupportedArchs(supported));
        return supported;
    }

    private static String prelude() {
        try (InputStream in = Nvrtc.class.getResourceAsStream("prelude.cuh")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
