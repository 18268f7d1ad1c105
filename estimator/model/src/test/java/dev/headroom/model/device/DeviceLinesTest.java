package dev.headroom.model.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Published and measured device memory beside the allocator's. */
class DeviceLinesTest {
    private static final long MIB = 1 << 20;

    private static Gpu gpu(String name) {
        return GpuCatalogue.find(name).orElseThrow();
    }

    private static DeviceLine context(String gpu, boolean lazy) {
        return DeviceLines.of(gpu(gpu), lazy, true).get(0);
    }

    @Test
    void everyCardHasAContextWithASource() {
        for (Gpu card : GpuCatalogue.all()) {
            for (boolean lazy : new boolean[] {true, false}) {
                DeviceLine context = DeviceLines.of(card, lazy, true).get(0);
                assertEquals(DeviceLine.CONTEXT, context.part(), card.name());
                assertTrue(context.bytes() > 100 * MIB && context.bytes() < 2048 * MIB, card.name());
                assertFalse(context.source().isBlank(), card.name());
            }
        }
    }

    @Test
    void aMeasuredCardIsExactAndOthersLieBetweenBounds() {
        assertTrue(context("rtx-6000-ada", true).exact());
        assertEquals(426 * MIB, context("rtx-6000-ada", true).bytes());
        DeviceLine other = context("rtx-3090", true);
        assertFalse(other.exact());
        // 82 multiprocessors, half way between cards of 24 and 142.
        assertEquals(147 * MIB + (426 - 147) * MIB * 58 / 118, other.bytes(), MIB);
        assertEquals(
                context("rtx-4060", true).bytes(), context("rtx-4060", true).high(), "only at most is known");
    }

    @Test
    void eagerLoadingTakesMore() {
        assertTrue(context("rtx-3090", false).low() > context("rtx-3090", true).high());
        assertEquals(880 * MIB, context("rtx-2080-ti", false).bytes());
    }

    @Test
    void whatWasMeasuredComesBeforeWhatWasPublished(@TempDir Path folder) {
        Path file = folder.resolve("headroom").resolve("devices.csv");
        Calibration.write(file, gpu("a10"), List.of(new DeviceLine(DeviceLine.CONTEXT, 1, 1, 1, "first, of a10")));
        DeviceLine a = new DeviceLine(DeviceLine.CONTEXT, 300, 300, 300, "driver 580");
        DeviceLine b = new DeviceLine(DeviceLine.CUDNN, 50, 50, 50, "driver 580");
        Calibration.write(file, gpu("l4"), List.of(a, b));
        Calibration.write(file, gpu("a10"), List.of(new DeviceLine(DeviceLine.CONTEXT, 2, 2, 2, "second, of a10")));
        List<Overhead> lines = Calibration.read(file);
        assertEquals(List.of(a, b), DeviceLines.of(lines, gpu("l4"), true, true));
        assertEquals(List.of(a), DeviceLines.of(lines, gpu("l4"), true, false), "a run without cuDNN does not load it");
        assertEquals(2, DeviceLines.of(lines, gpu("a10"), true, true).get(0).bytes());
        assertEquals(
                context("l4", false),
                DeviceLines.of(lines, gpu("l4"), false, true).get(0),
                "measured lazily");
        assertEquals(
                context("t4", true),
                DeviceLines.of(lines, gpu("t4"), true, true).get(0));
    }

    @Test
    void aBrokenCalibrationIsOneLine(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("devices.csv");
        assertEquals(List.of(), Calibration.read(file));
        for (String line : List.of("context,lazy,l4", "context,lazy,l4,a,b,c,d", "context,lazy,l4,5,4,3,d")) {
            Files.writeString(file, line + "\n");
            UserInputException e = assertThrows(UserInputException.class, () -> Calibration.read(file), line);
            assertTrue(e.getMessage().contains("devices.csv: cannot be read as a calibration"), e.getMessage());
            assertTrue(e.getMessage().contains("`devices_calibrate`"), e.getMessage());
        }
    }
}
