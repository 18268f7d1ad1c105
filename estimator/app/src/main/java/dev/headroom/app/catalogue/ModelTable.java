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
        List<ShippedConfigs.Entry> shipped = shipped();
        int width = 1 + shipped.stream().mapToInt(e -> e.name().length()).max().orElse(0);
        out.println(Columns.left("Models by name", width) + Columns.right("billions", 9) + "  published as");
        for (ShippedConfigs.Entry entry : shipped) {
            String size = String.format(Locale.ROOT, "%.2f", entry.parameters() / BILLION);
            out.println(Columns.left(entry.name(), width) + Columns.right(size, 9) + "  " + published(entry));
        }
    }

    private static String published(ShippedConfigs.Entry entry) {
        return entry.note().isEmpty() ? entry.published() : entry.published() + " (" + entry.note() + ")";
    }

    /** Those whose families are written. */
    private static List<ShippedConfigs.Entry> shipped() {
        return ShippedConfigs.all().stream()
                .filter(e ->
                        Families.find(ShippedConfigs.read(e.name()).modelType()).isPresent())
                .toList();
    }

    /** {@code families} of {@code model_type, name}, {@code models} of {@code name, published, parameters, same}. */
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
                json.writeStringField("published", published(entry));
                json.writeNumberField("parameters", entry.parameters());
                json.writeArrayFieldStart("same");
                for (String repository : entry.same()) {
                    json.writeString(repository);
                }
                json.writeEndArray();
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        });
    }
}
