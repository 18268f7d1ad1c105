package dev.headroom.executor.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.autograd.BackwardPass;
import dev.headroom.executor.cuda.CudaBackend;
import dev.headroom.executor.cuda.NullCuda;
import dev.headroom.executor.op.basic.GradientSums;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.MemoryFormat;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Convolutions on the cuda backend ask cuDNN what PyTorch asks, take of its plans what PyTorch takes, and allocate what
 * PyTorch allocates, event by event, also where memory refuses workspaces. The plans are those of the real cuDNN for an
 * H200; the libraries are null.
 */
class RecordedConvolutionsTest {
    static Stream<RecordedConvolution> convolutions() {
        return RecordedConvolution.all();
    }

    @Test
    void someRunOutOfMemoryAndSomePlansAreFilteredOut() {
        assertTrue(RecordedConvolution.all().anyMatch(c -> c.events().stream().anyMatch(e -> e.startsWith("oom"))));
        assertTrue(RecordedConvolution.all().anyMatch(RecordedConvolution::deterministic));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("convolutions")
    void asksAndAllocatesAsPyTorchDoes(RecordedConvolution c) {
        NullCuda device = NullCuda.install();
        device.plans().know(c.plans().stream());
        device.plans().listen();
        AllocatorSettings settings = AllocatorSettings.defaults();
        List<String> events = new ArrayList<>();
        try (CudaBackend cuda = CudaBackend.open(0)) {
            CachingAllocator allocator =
                    new CachingAllocator(c.limit() == 0 ? settings : settings.withLimitBytes(c.limit()), cuda.memory());
            Eager e = new Eager(
                    allocator,
                    cuda,
                    new Settings(
                            GpuCatalogue.find("h200").orElseThrow(),
                            Scenario.Attention.AUTO,
                            1,
                            c.deterministic(),
                            true));
            try (Scope s = e.open()) {
                Tensor x = tensor(e, c, c.node().input(), c.skip());
                Tensor w = tensor(e, c, c.node().weight(), 0);
                allocator.setListener(
                        (action, address, bytes, stream, pool) -> events.add(action.label() + " " + bytes));
                Tensor y = StandardOperators.all()
                        .find("aten.convolution")
                        .run(e, new Arguments(c.node().call(), Map.of("input", x, "weight", w), Map.of()))[0];
                new BackwardPass(e.tape(), new GradientSums(e)).run(y, e.alias(y, y.sizes(), y.strides(), y.offset()));
                allocator.setListener((action, address, bytes, stream, pool) -> {});
                e.setGrad(x, null);
                e.setGrad(w, null);
            }
        }
        assertEquals(
                String.join("\n", c.asked()), String.join("\n", device.plans().asked()));
        assertEquals(String.join("\n", c.events()), String.join("\n", events));
        assertEquals(0, device.liveObjects());
    }

    private static Tensor tensor(Eager e, RecordedConvolution c, long[] sizes, long skip) {
        Tensor memory = e.empty(c.type(), Layout.elements(sizes) + skip);
        long[] strides = c.format() == MemoryFormat.CONTIGUOUS ? Layout.contiguous(sizes) : Layout.channelsLast(sizes);
        Tensor t = e.alias(memory, sizes, strides, skip);
        t.requireGrad(true);
        return t;
    }
}
