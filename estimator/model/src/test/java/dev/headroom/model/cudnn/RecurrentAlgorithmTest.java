package dev.headroom.model.cudnn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.model.graph.DType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What PyTorch asks of cuDNN. */
class RecurrentAlgorithmTest {
    private static final CudnnDevice H100 = new CudnnDevice(9, 0, 132);

    @ParameterizedTest
    @CsvSource({
        "4, FLOAT32, 192, 192, PERSIST_STATIC_SMALL_H, STANDARD",
        "3, FLOAT32, 128, 128, PERSIST_STATIC_SMALL_H, PERSIST_STATIC_SMALL_H",
        "1, FLOAT32, 384, 384, PERSIST_STATIC_SMALL_H, STANDARD",
        "4, FLOAT32, 192, 96, STANDARD, STANDARD",
        "4, FLOAT64, 16, 16, STANDARD, STANDARD",
        "4, FLOAT16, 512, 512, PERSIST_STATIC, PERSIST_STATIC",
        "3, FLOAT16, 512, 512, STANDARD, STANDARD",
        "4, FLOAT32, 512, 512, STANDARD, STANDARD"
    })
    void followsSizesAndType(
            int gates, DType type, long hidden, long output, RecurrentAlgorithm forward, RecurrentAlgorithm backward) {
        RecurrentProblem p = new RecurrentProblem(gates, type, 20, 16, 256, hidden, output, 1, false, false);
        assertEquals(forward, RecurrentAlgorithm.of(p, false, H100));
        assertEquals(backward, RecurrentAlgorithm.of(p, true, H100));
    }
}
