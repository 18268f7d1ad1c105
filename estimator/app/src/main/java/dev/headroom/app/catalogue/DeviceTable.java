package dev.headroom.app.catalogue;

import dev.headroom.app.report.Columns;
import dev.headroom.app.report.JsonOutput;
import dev.headroom.model.device.Gpu;
import java.io.PrintWriter;
import java.util.List;

/** The catalogue of cards, for people and for programs. */
public final class DeviceTable {
    private DeviceTable() {}

    /** A table that fits 80 columns but for long sources. */
    public static void write(List<Gpu> cards, PrintWriter out) {
        out.println(Columns.left("name", 17)
                + Columns.left("card", 27)
                + Columns.right("MiB", 7)
                + Columns.right("CC", 6)
                + Columns.right("SMs", 5)
                + "  memory figure");
        for (Gpu gpu : cards) {
            out.println(Columns.left(gpu.name(), 17)
                    + Columns.left(gpu.title(), 27)
                    + Columns.right(Long.toString(gpu.memory() >> 20), 7)
                    + Columns.right(gpu.major() + "." + gpu.minor(), 6)
                    + Columns.right(Integer.toString(gpu.sms()), 5)
                    + "  "
                    + gpu.source());
        }
    }

    /** An array of objects: {@code name, title, memory, capability, sms, source}. */
    public static void writeJson(List<Gpu> cards, PrintWriter out) {
        JsonOutput.write(out, json -> {
            json.writeStartArray();
            for (Gpu gpu : cards) {
                json.writeStartObject();
                json.writeStringField("name", gpu.name());
                json.writeStringField("title", gpu.title());
                json.writeNumberField("memory", gpu.memory());
                json.writeStringField("capability", gpu.major() + "." + gpu.minor());
                json.writeNumberField("sms", gpu.sms());
                json.writeStringField("source", gpu.source());
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }
}
