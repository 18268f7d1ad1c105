package dev.headroom.executor.cuda.runtime;

import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.executor.cuda.driver.CudaStatus;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;

/** A loaded kernel. */
public final class CudaKernel {
    /** What a block may have without being allowed more. */
    private static final int SHARED_LIMIT = 48 << 10;

    private final String name;
    private final CUfunc_st function;
    private final LaunchArguments arguments;
    private int allowedShared = SHARED_LIMIT;

    CudaKernel(String name, CUfunc_st function, LaunchArguments arguments) {
        this.name = name;
        this.function = function;
        this.arguments = arguments;
    }

    /**
     * Queues the kernel on the default stream. The types must be those of its parameters: {@code Long} for 64-bit
     * integers and addresses, {@code Integer}, {@code Short}, {@code Byte}, {@code Float}, {@code Double},
     * {@link Pointer} for an address, {@code byte[]} for a struct by value.
     *
     * @throws CudaException when the launch is refused; errors of the kernel itself appear at a later call
     */
    public void launch(LaunchShape shape, Object... values) {
        if (shape.isEmpty()) {
            return;
        }
        if (shape.sharedBytes() > allowedShared) {
            CudaStatus.driver(
                    "cuFuncSetAttribute of " + name,
                    cudart.cuFuncSetAttribute(
                            function, cudart.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shape.sharedBytes()));
            allowedShared = shape.sharedBytes();
        }
        PointerPointer<Pointer> packed = arguments.pack(values);
        CudaStatus.driver(
                "cuLaunchKernel of " + name,
                cudart.cuLaunchKernel(
                        function,
                        shape.gridX(),
                        shape.gridY(),
                        shape.gridZ(),
                        shape.blockX(),
                        shape.blockY(),
                        shape.blockZ(),
                        shape.sharedBytes(),
                        (CUstream_st) null,
                        packed,
                        (PointerPointer<?>) null));
    }

    @Override
    public String toString() {
        return name;
    }
}
