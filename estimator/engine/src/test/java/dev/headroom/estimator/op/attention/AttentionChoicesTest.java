package dev.headroom.estimator.op.attention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.op.RecordedRows;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.KernelOptions;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels of attention as PyTorch 2.14 chooses them on GPUs of several compute capabilities. */
class AttentionChoicesTest {
    private static final List<String[]> ROWS = RecordedRows.in("choices", "attention.csv.gz");

    /** A recorded call, by the names of its columns. */
    private record Call(Map<String, String> columns) {
        static Call of(String[] row) {
            Map<String, String> columns = new HashMap<>();
            for (int i = 0; i < row.length; i++) {
                columns.put(ROWS.get(0)[i], row[i]);
            }
            return new Call(columns);
        }

        String word(String column) {
            return columns.get(column);
        }

        long number(String column) {
            return Long.parseLong(word(column));
        }

        boolean flag(String column) {
            return number(column) == 1;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"7.5", "8.0", "8.6", "9.0", "10.0", "12.0"})
    void choosesAsPyTorchDoes(String capability) {
        EagerRuntime rt = runtime(capability, Scenario.Attention.AUTO);
        List<String> wrong = new ArrayList<>();
        for (String[] row : ROWS.subList(1, ROWS.size())) {
            Call c = Call.of(row);
            try (Frame f = rt.frame()) {
                String chosen = AttentionBackend.choose(rt, call(rt, c)).name();
                if (!chosen.equals(c.word(capability))) {
                    wrong.add(String.join(",", row) + ": " + chosen);
                }
            }
        }
        assertEquals(List.of(), wrong);
    }

    /** A kernel that is allowed alone is chosen wherever it is by itself, and else the plain computation where it cannot. */
    @ParameterizedTest
    @EnumSource(names = {"CUDNN", "FLASH", "EFFICIENT", "MATH"})
    void choosesWhatIsAllowed(Scenario.Attention allowed) {
        EagerRuntime rt = runtime("9.0", allowed);
        for (String[] row : ROWS.subList(1, ROWS.size())) {
            Call c = Call.of(row);
            try (Frame f = rt.frame()) {
                String chosen = AttentionBackend.choose(rt, call(rt, c)).name();
                boolean byItself = c.word("9.0").equals(allowed.name());
                assertTrue(chosen.equals(allowed.name()) || !byItself && chosen.equals("MATH"), String.join(",", row));
            }
        }
    }

    private static EagerRuntime runtime(String capability, Scenario.Attention allowed) {
        String[] numbers = capability.split("\\.");
        return new EagerRuntime(
                new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 33)),
                new DeviceModel(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]), 100),
                new KernelOptions(0, allowed));
    }

    private static AttentionCall call(EagerRuntime rt, Call c) {
        DType type = DType.valueOf(c.word("type").toUpperCase(Locale.ROOT));
        Tensor q = operand(rt, type, c, "q", "batch", "heads", "rows", "features");
        Tensor k = operand(rt, type, c, "k", "key_batch", "key_heads", "keys", "key_features");
        Tensor v = operand(rt, type, c, "v", "key_batch", "value_heads", "keys", "value_features");
        return new AttentionCall(
                q, k, v, mask(rt, type, c), Double.parseDouble(c.word("dropout")), c.flag("causal"), c.flag("gqa"));
    }

    private static Tensor operand(EagerRuntime rt, DType type, Call c, String name, String... columns) {
        String how = c.word("which").equals(name) ? c.word("how") : "";
        Tensor t = laid(rt, type, Arrays.stream(columns).mapToLong(c::number).toArray(), how);
        rt.requireGrad(t, c.flag("grad"));
        return t;
    }

    private static @Nullable Tensor mask(EagerRuntime rt, DType type, Call c) {
        if (c.word("mask").isEmpty()) {
            return null;
        }
        long[] sizes = Arrays.stream(c.word("mask").split("x"))
                .mapToLong(Long::parseLong)
                .toArray();
        Tensor t = laid(rt, c.word("mask_type").equals("bool") ? DType.BOOL : type, sizes, c.word("mask_lies"));
        rt.requireGrad(t, c.flag("mask_grad"));
        return t;
    }

    /** Stored with the last two dimensions in the other order, or so many elements into its memory. */
    private static Tensor laid(EagerRuntime rt, DType type, long[] sizes, String how) {
        long start = how.matches("\\d+") ? Long.parseLong(how) : 0;
        long[] strides = Shapes.contiguous(sizes);
        if (how.equals("turned")) {
            long[] stored = sizes.clone();
            int last = sizes.length - 1;
            stored[last] = sizes[last - 1];
            stored[last - 1] = sizes[last];
            strides = Shapes.contiguous(stored);
            long turned = strides[last];
            strides[last] = strides[last - 1];
            strides[last - 1] = turned;
        }
        return rt.reinterpret(rt.empty(type, Shapes.numel(sizes) + start), sizes, strides, start);
    }
}
