package dev.headroom.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import dev.headroom.device.Gpu;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
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
        JsonFactory factory = JsonFactory.builder()
                .configure(StreamWriteFeature.AUTO_CLOSE_TARGET, false)
                .build();
        try (JsonGenerator json = factory.createGenerator(out)) {
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
            json.writeRaw('\n');
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
