package dev.headroom.estimator.op.attention;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.op.RecordedRows;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.KernelOptions;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kernels of attention as PyTorch 2.11 chose them on an H100, and later ones for its compute capability. */
class AttentionBackendTest {
    private static final int BATCH = 2;

    @ParameterizedTest
    @CsvSource({"2.11, 10", "2.12, 11", "2.14, 12"})
    void choosesAsPyTorchDid(String version, int column) {
        EagerRuntime rt = new EagerRuntime(
                new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 33)),
                new DeviceModel(9, 0, 132),
                new KernelOptions(
                        0L,
                        null,
                        Scenario.Attention.AUTO,
                        TorchVersion.of(version),
                        false,
                        false,
                        CudnnVersion.NEWEST,
                        false,
                        false,
                        false));
        List<String> wrong = new ArrayList<>();
        for (String[] row : RecordedRows.of("attention.csv.gz")) {
            Frame f = rt.frame();
            AttentionBackend chosen = AttentionBackend.choose(rt, call(rt, row));
            f.close();
            if (!chosen.name().equals(row[column])) {
                wrong.add(String.join(",", row) + ": " + chosen);
            }
        }
        assertEquals(List.of(), wrong);
    }

    private static AttentionCall call(EagerRuntime rt, String[] row) {
        DType type = DType.valueOf(row[1]);
        long features = Long.parseLong(row[0]);
        long heads = Long.parseLong(row[2]);
        long keyHeads = Long.parseLong(row[3]);
        long rows = Long.parseLong(row[4]);
        long keys = Long.parseLong(row[5]);
        Tensor q = rt.empty(type, BATCH, heads, rows, features);
        Tensor k = rt.empty(type, BATCH, keyHeads, keys, features);
        Tensor v = rt.empty(type, BATCH, keyHeads, keys, features);
        for (Tensor t : new Tensor[] {q, k, v}) {
            rt.requireGrad(t, row[9].equals("1"));
        }
        Tensor mask = row[7].equals("1") ? rt.empty(type, BATCH, 1, rows, keys) : null;
        return new AttentionCall(q, k, v, mask, Double.parseDouble(row[8]), row[6].equals("1"), heads != keyHeads);
    }
}
