package dev.headroom.app.report;

import dev.headroom.model.device.DeviceLine;
import dev.headroom.model.device.DeviceProbe;
import dev.headroom.model.units.Mib;
import java.io.PrintWriter;
import java.nio.file.Path;

/** What was measured of a card, for people and for programs. */
public final class CalibrationReport {
    private CalibrationReport() {}

    /** A few lines: the parts in MiB, and where they were stored. */
    public static void write(DeviceProbe.Measured measured, Path file, PrintWriter out) {
        out.println(measured.gpu().title() + ", memory of a process beside what its allocator reserves:");
        for (DeviceLine line : measured.lines()) {
            String size = line.exact() ? Mib.text(line.bytes()) : Mib.range(line.low(), line.high());
            out.println("  " + Columns.left(line.part(), 10) + Columns.right(size, 14) + "  " + line.source());
        }
        if (measured.others() > 0) {
            out.println("In use by others now: " + Mib.text(measured.others())
                    + "; pass it to predictions with --in-use " + measured.others());
        }
        out.println("Stored in " + file);
        if (!measured.catalogued()) {
            out.println("This card is not in the catalogue: predictions cannot name it with --gpu yet");
        }
    }

    /** An object: {@code gpu, title, lines, others, file}; the lines as in {@code device_lines} of predictions. */
    public static void writeJson(DeviceProbe.Measured measured, Path file, PrintWriter out) {
        JsonOutput.write(out, json -> {
            json.writeStartObject();
            json.writeStringField("gpu", measured.catalogued() ? measured.gpu().name() : null);
            json.writeStringField("title", measured.gpu().title());
            json.writeArrayFieldStart("lines");
            for (DeviceLine line : measured.lines()) {
                CertaintyJson.line(line, json);
            }
            json.writeEndArray();
            json.writeNumberField("others", measured.others());
            json.writeStringField("file", file.toString());
            json.writeEndObject();
        });
    }
}
