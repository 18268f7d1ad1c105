package dev.headroom.executor.quant;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.DType;
import dev.headroom.model.quant.FourBit;
import dev.headroom.model.scenario.Scenario;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Code books and quantised values are those of bitsandbytes. */
class PublishedNumbersTest {
    private static final double CLOSE = 1e-6;

    private static CodeBook book(String name) {
        return switch (name) {
            case "nf4" -> CodeBook.NF4;
            case "fp4" -> CodeBook.FP4;
            case "dynamic" -> CodeBook.DYNAMIC;
            default -> CodeBook.UNSIGNED;
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"nf4", "fp4", "dynamic", "unsigned"})
    void codeBooks(String name) {
        assertArrayEquals(BitsandbytesValues.of(name), book(name).numbers(), CLOSE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nf4", "fp4", "dynamic", "unsigned"})
    void everyNumberIsItsOwnNearest(String name) {
        CodeBook book = book(name);
        for (int code = 0; code < book.size(); code++) {
            assertEquals(book.number(code), book.number(book.nearest(book.number(code))), 0.0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nf4", "fp4"})
    void fourBitsGoThereAndBack(String name) {
        double[] weight = BitsandbytesValues.of("weight");
        try (HostBackend host = new HostBackend(1L << 24)) {
            Eager e = new Eager(
                    new CachingAllocator(AllocatorSettings.defaults(), host.memory()),
                    host,
                    new Settings(GpuCatalogue.find("h200").orElseThrow(), Scenario.Attention.AUTO, 1));
            try (var s = e.open()) {
                Tensor full = e.empty(DType.FLOAT32, 24, 64);
                host.write(full, weight);
                int n = weight.length;
                Tensor codes = e.empty(DType.UINT8, FourBit.packed(n), 1);
                Tensor scales = e.empty(DType.FLOAT32, FourBit.scales(n));
                PackedWeight plain = new PackedWeight(book(name), codes, scales, null);
                plain.set(e, full);
                assertArrayEquals(
                        oneZero(name, BitsandbytesValues.of(name + ".packed")), oneZero(name, host.read(codes)));
                assertArrayEquals(BitsandbytesValues.of(name + ".absmax"), host.read(scales), CLOSE);
                assertArrayEquals(BitsandbytesValues.of(name + ".restored"), plain.values(e, n), CLOSE);

                Tensor offset = e.empty(DType.FLOAT32);
                Tensor nested = e.empty(DType.FLOAT32, FourBit.nestedScales(n));
                Tensor bytes = e.empty(DType.UINT8, FourBit.scales(n));
                PackedWeight twice =
                        new PackedWeight(book(name), codes, bytes, new PackedWeight.Nested(offset, nested));
                twice.set(e, full);
                assertArrayEquals(BitsandbytesValues.of(name + ".nested.absmax"), host.read(bytes));
                assertArrayEquals(BitsandbytesValues.of(name + ".nested.scales"), host.read(nested), CLOSE);
                assertArrayEquals(BitsandbytesValues.of(name + ".nested.offset"), host.read(offset), CLOSE);
                assertArrayEquals(BitsandbytesValues.of(name + ".nested.restored"), twice.values(e, n), CLOSE);
            }
        }
    }

    /** FP4 has a zero for each sign, and the library's kernels differ in which they take. */
    private static double[] oneZero(String name, double[] bytes) {
        double[] codes = Blocks.unpacked(bytes, 2 * bytes.length);
        return name.equals("fp4")
                ? Arrays.stream(codes).map(code -> code == 8 ? 0 : code).toArray()
                : codes;
    }

    @Test
    void whatIsRestoredIsNear() {
        double[] weight = BitsandbytesValues.of("weight");
        double[] scales = Blocks.scales(weight, FourBit.BLOCK);
        double[] codes = Blocks.codes(weight, scales, FourBit.BLOCK, CodeBook.NF4);
        double[] back = Blocks.numbers(codes, scales, FourBit.BLOCK, CodeBook.NF4);
        assertArrayEquals(codes, Blocks.unpacked(Blocks.packed(codes), codes.length));
        for (int i = 0; i < weight.length; i++) {
            assertTrue(Math.abs(weight[i] - back[i]) <= 0.16 * scales[i / FourBit.BLOCK], "number " + i);
        }
    }
}
