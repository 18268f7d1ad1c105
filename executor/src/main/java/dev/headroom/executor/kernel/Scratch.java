package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Memory for a library to work in: taken for one call, and given back after it, however it ends. */
@FunctionalInterface
public interface Scratch {
    /**
     * Lets work run in a number of bytes.
     *
     * @param work is handed the memory, {@code null} for 0 bytes
     * @throws dev.headroom.allocator.OutOfMemoryException when there is not so much; the work does not run then
     */
    void during(long bytes, Consumer<@Nullable Tensor> work);
}
