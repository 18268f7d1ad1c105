package dev.headroom.estimator.op.attention;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.model.graph.DType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tiles of the kernels that PyTorch 2.14 launched in backward passes of memory-efficient attention. */
class EfficientKernelTest {
    @ParameterizedTest
    @CsvSource({
        "90, FLOAT32, 64, false, 64, 64",
        "90, FLOAT32, 96, true, 128, 64",
        "86, FLOAT32, 128, false, 64, 64",
        "75, FLOAT32, 256, true, 64, 64",
        "90, FLOAT16, 64, false, 64, 64",
        "90, FLOAT16, 128, true, 128, 128",
        "80, BFLOAT16, 96, false, 128, 128",
        "86, BFLOAT16, 96, false, 128, 64",
        "86, BFLOAT16, 96, true, 64, 64",
        "86, FLOAT16, 128, false, 64, 64",
        "86, FLOAT16, 256, false, 128, 64",
        "75, FLOAT16, 128, true, 128, 64"
    })
    void tiles(int capability, DType type, long features, boolean dropout, int rows, int columns) {
        DeviceModel d = new DeviceModel(capability / 10, capability % 10, 1);
        EfficientKernel k = EfficientKernel.choose(d, type, features, dropout);
        assertEquals(rows, k.rows());
        assertEquals(columns, k.columns());
    }

    /** Four batches and heads, 512 rows: eight tiles of 64 by 64 floats with four words each, for every head. */
    @ParameterizedTest
    @CsvSource({"64, 2099200", "32, 2099200"})
    void workspace(long features, long bytes) {
        EfficientKernel k = EfficientKernel.choose(new DeviceModel(9, 0, 132), DType.FLOAT32, features, false);
        assertEquals(bytes, k.workspace(4, 4, 512, 512, features, features));
    }
}
