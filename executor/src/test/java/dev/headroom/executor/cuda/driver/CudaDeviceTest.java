package dev.headroom.executor.cuda.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.executor.cuda.NullCuda;
import java.util.List;
import org.junit.jupiter.api.Test;

class CudaDeviceTest {
    private static final CudaDevice SMALL =
            new CudaDevice(0, "NVIDIA GeForce RTX 4060 Ti", 8, 9, 34, 8_300_000_000L, 8_000_000_000L);
    private static final CudaDevice UNKNOWN = new CudaDevice(1, "Some Card", 9, 9, 1, 1L << 30, 1L << 29);

    @Test
    void readsTheCardsOfThisMachine() {
        NullCuda.compute();
        List<CudaDevice> devices = CudaDevice.all();
        assertFalse(devices.isEmpty());
        for (CudaDevice device : devices) {
            assertTrue(device.total() > 0 && device.free() > 0 && device.free() <= device.total(), device::toString);
            assertTrue(device.sms() > 0 && device.major() > 0, device::toString);
        }
    }

    @Test
    void namesTheCatalogueEntryOfTheSameSize() {
        assertEquals("rtx-4060-ti-8gb", SMALL.catalogued().orElseThrow().name());
        assertTrue(UNKNOWN.catalogued().isEmpty());
    }
}
