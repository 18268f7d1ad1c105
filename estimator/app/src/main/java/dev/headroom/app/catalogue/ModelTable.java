package dev.headroom.app.catalogue;

import dev.headroom.app.report.Columns;
import dev.headroom.app.report.JsonOutput;
import dev.headroom.model.family.Families;
import dev.headroom.model.family.config.ShippedConfigs;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Models that need no archive: families, and configs that ship by name. */
public final class ModelTable {
    private static final double BILLION = 1e9;

    private ModelTable() {}

    /** Two tables that fit 80 columns. */
    public static void write(PrintWriter out) {
        out.println("Families: the model_type of a config.json");
        for (Families.Family family : Families.all()) {
            out.println("  " + Columns.left(family.modelType(), 15) + family.name());
        }
        out.println();
        out.println(Columns.left("Models by name", 22) + Columns.right("billions", 10) + "  published as");
        for (ShippedConfigs.Entry entry : shipped()) {
            String size = String.format(Locale.ROOT, "%.2f", entry.parameters() / BILLION);
            out.println(Columns.left(entry.name(), 22) + Columns.right(size, 10) + "  " + entry.published());
        }
    }

    /** Those whose families are written. */
    private static List<ShippedConfigs.Entry> shipped() {
        return ShippedConfigs.all().stream()
                .filter(e ->
                        Families.find(ShippedConfigs.read(e.name()).modelType()).isPresent())
                .toList();
    }

    /** {@code families} of {@code model_type, name}, {@code models} of {@code name, published, parameters}. */
    public static void writeJson(PrintWriter out) {
        JsonOutput.write(out, json -> {
            json.writeStartObject();
            json.writeArrayFieldStart("families");
            for (Families.Family family : Families.all()) {
                json.writeStartObject();
                json.writeStringField("model_type", family.modelType());
                json.writeStringField("name", family.name());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeArrayFieldStart("models");
            for (ShippedConfigs.Entry entry : shipped()) {
                json.writeStartObject();
                json.writeStringField("name", entry.name());
                json.writeStringField("published", entry.published());
                json.writeNumberField("parameters", entry.parameters());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        });
    }
}
