package dev.headroom.executor.cuda.kernel;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import org.junit.jupiter.api.Test;

class DeviceViewTest {
    /** Its address is null; on a GPU the kernel would fail later, and everything after it. */
    @Test
    void aNumberInHostMemoryIsNoTensorOfTheDevice() {
        Tensor number = Tensor.number(DType.FLOAT32, 3);
        var refused = assertThrows(UserInputException.class, () -> DeviceView.of(number));
        assertTrue(String.valueOf(refused.getMessage()).contains("device's memory"));
    }
}
