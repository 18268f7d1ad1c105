package dev.headroom.executor.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.model.device.Calibration;
import dev.headroom.model.device.DeviceLine;
import dev.headroom.model.device.DeviceProbe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Measures the null device, whose context and handles take what they are told to. */
class CudaProbeTest {
    private static final long CONTEXT = 300L << 20;
    private static final long HANDLE = 40L << 20;

    private NullCuda device;

    @BeforeEach
    void install() {
        device = NullCuda.install().contextBytes(CONTEXT).forgetContext();
    }

    @Test
    void tellsContextCublasAndCudnnApart() {
        long before = device.liveObjects() * HANDLE;
        device.objectBytes(HANDLE);
        DeviceProbe.Measured m = new CudaProbe().measure();
        List<DeviceLine> lines = m.lines();
        assertEquals(
                List.of(DeviceLine.CONTEXT, DeviceLine.CUBLAS, DeviceLine.CUDNN, DeviceLine.LIBRARIES),
                lines.stream().map(DeviceLine::part).toList());
        assertEquals(CONTEXT, lines.get(0).bytes() - before);
        assertEquals(HANDLE, lines.get(1).bytes());
        assertEquals(HANDLE, lines.get(2).bytes());
        assertTrue(lines.subList(0, 3).stream().allMatch(DeviceLine::exact));
        assertFalse(lines.get(3).exact());
        assertEquals(1, device.products());
        assertEquals(before, m.others());
        assertEquals(0, device.liveBytes(), "all is given back");
    }

    @Test
    void whatIsMeasuredCanBeStored(@TempDir Path folder) throws IOException {
        DeviceProbe.Measured m = new CudaProbe().measure();
        Path file = folder.resolve("headroom").resolve("devices.csv");
        Calibration.write(file, m.gpu(), m.lines());
        List<String> text = Files.readAllLines(file);
        assertTrue(text.get(0).startsWith("#"), text::toString);
        assertTrue(text.get(1).startsWith("context,lazy," + m.gpu().name() + "," + CONTEXT + ","), text::toString);
    }

    @Test
    void withoutADeviceOrNvmlItIsOneLine() {
        device.failCall("nvmlInit_v2", 1, 9);
        assertLine("NVML is missing");
        device.devices(0);
        assertLine("look at nvidia-smi");
    }

    @Test
    void theCommandLineFindsTheProbe() {
        assertTrue(ServiceLoader.load(DeviceProbe.class).stream().anyMatch(p -> p.type() == CudaProbe.class));
    }

    private static void assertLine(String part) {
        CudaException e = assertThrows(CudaException.class, () -> new CudaProbe().measure());
        assertTrue(e.getMessage().contains(part), e::getMessage);
        assertEquals(1, e.getMessage().lines().count());
    }
}
