package dev.headroom.app.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.model.device.DeviceLine;
import dev.headroom.model.device.DeviceProbe;
import dev.headroom.model.device.GpuCatalogue;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a calibration says. */
class CalibrationReportTest {
    private static final long MIB = 1 << 20;
    private static final Path FILE = Path.of("somewhere", "devices.csv");

    private static DeviceProbe.Measured measured(boolean catalogued, long others) {
        return new DeviceProbe.Measured(
                GpuCatalogue.find("l4").orElseThrow(),
                catalogued,
                List.of(
                        new DeviceLine(DeviceLine.CONTEXT, 300 * MIB, 300 * MIB, 300 * MIB, "measured"),
                        new DeviceLine(DeviceLine.LIBRARIES, 0, 0, 96 * MIB, "published")),
                others);
    }

    private static String text(DeviceProbe.Measured measured) {
        StringWriter out = new StringWriter();
        CalibrationReport.write(measured, FILE, new PrintWriter(out, true));
        return out.toString();
    }

    @Test
    void saysWhatWasMeasuredAndWhereItIsStored() {
        String text = text(measured(true, 500 * MIB));
        assertTrue(text.startsWith("NVIDIA L4, memory of a process"), text);
        assertTrue(text.contains("context       300.00 MiB  measured"), text);
        assertTrue(text.contains("libraries    0 to 96 MiB  published"), text);
        assertTrue(text.contains("--in-use " + 500 * MIB), text);
        assertTrue(text.contains("Stored in " + FILE), text);
        assertFalse(text.contains("not in the catalogue"), text);
    }

    @Test
    void aCardOfItsOwnCannotBeNamedYet() {
        String text = text(measured(false, 0));
        assertTrue(text.contains("not in the catalogue"), text);
        assertFalse(text.contains("--in-use"), text);
    }

    @Test
    void writesTheSameAsData() throws IOException {
        StringWriter out = new StringWriter();
        CalibrationReport.writeJson(measured(true, 7), FILE, new PrintWriter(out, true));
        JsonNode json = new ObjectMapper().readTree(out.toString());
        assertEquals("l4", json.get("gpu").asText());
        assertEquals("exact", json.get("lines").get(0).get("kind").asText());
        assertEquals("bounded", json.get("lines").get(1).get("kind").asText());
        assertEquals(7, json.get("others").asLong());
        assertEquals(FILE.toString(), json.get("file").asText());
    }
}
