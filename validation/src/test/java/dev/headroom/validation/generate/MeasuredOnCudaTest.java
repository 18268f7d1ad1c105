package dev.headroom.validation.generate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.executor.cuda.CudaBackend;
import dev.headroom.executor.cuda.NullCuda;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Predicted equals measured with CUDA's own calls for memory, kernels and libraries. The libraries are the null ones:
 * they keep books of device memory and compute nothing. All models run in one context, and each gives back all memory.
 */
class MeasuredOnCudaTest {
    private static final Gpu GPU = GpuCatalogue.find("h200").orElseThrow();

    private static NullCuda device;
    private static CudaBackend backend;

    @BeforeContainer
    static void open() {
        device = NullCuda.install().total(GPU.memory());
        backend = CudaBackend.open(0);
    }

    @AfterContainer
    static void close() {
        if (backend != null) {
            backend.close();
        }
    }

    @Provide
    Arbitrary<RandomCase> cases() {
        return Generators.cases();
    }

    @Property(maxDiscardRatio = 100, tries = MeasuredCasesTest.TRIES, seed = MeasuredCasesTest.SEED)
    void predictedIsMeasured(@ForAll("cases") RandomCase c) {
        long before = device.liveBytes();
        MeasuredCasesTest.assertPredicted(c, GPU, backend);
        assertEquals(before, device.liveBytes(), "bytes that a run kept");
        assertEquals(0, device.liveRanges(), "address ranges that a run kept");
    }
}
