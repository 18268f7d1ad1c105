package dev.headroom.app.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headroom.advisor.serving.Capacity;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.units.OptionNames;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;

/** How many requests a card serves, as a table and as JSON. */
public final class CapacityReport {
    private static final double KIB = 1024;
    private static final double GIB = KIB * KIB * KIB;

    private CapacityReport() {}

    /** Prints a table. */
    public static void write(String model, Scenario run, Capacity capacity, PrintWriter out) {
        Gpu gpu = run.device().gpu();
        out.printf(
                Locale.ROOT,
                "%s, %,d new tokens a request, %s cache, %s: %.2f GiB for PyTorch%n%n",
                model,
                run.generation().tokens(),
                OptionNames.of(run.generation().cache()),
                gpu == null ? "a card" : gpu.title(),
                capacity.room() / GIB);
        out.println("  prompt  requests     tokens   reserved GiB  KiB a token cached  KiB a token at the peak");
        for (Capacity.Row row : capacity.rows()) {
            out.printf(
                    Locale.ROOT,
                    "%,8d  %,8d  %,9d  %13.2f  %18.1f  %23.1f%n",
                    row.prompt(),
                    row.requests(),
                    row.tokens(),
                    row.reserved() / GIB,
                    row.cachePerToken() / KIB,
                    row.peakPerToken() / KIB);
        }
        if (capacity.longest() == 0) {
            out.printf("%nNot one request fits.%n");
        } else {
            out.printf(Locale.ROOT, "%nThe longest prompt of one request alone: %,d tokens.%n", capacity.longest());
        }
    }

    /** Prints one object. */
    public static void writeJson(String model, Scenario run, Capacity capacity, PrintWriter out) {
        JsonOutput.write(out, json -> {
            json.writeStartObject();
            json.writeStringField("model", model);
            json.writeNumberField("new_tokens", run.generation().tokens());
            json.writeStringField("cache", OptionNames.of(run.generation().cache()));
            json.writeNumberField("room", capacity.room());
            json.writeArrayFieldStart("rows");
            for (Capacity.Row row : capacity.rows()) {
                row(json, row);
            }
            json.writeEndArray();
            json.writeNumberField("longest_prompt", capacity.longest());
            json.writeEndObject();
        });
    }

    private static void row(JsonGenerator json, Capacity.Row row) throws IOException {
        json.writeStartObject();
        json.writeNumberField("prompt", row.prompt());
        json.writeNumberField("requests", row.requests());
        json.writeNumberField("tokens", row.tokens());
        json.writeNumberField("reserved", row.reserved());
        json.writeNumberField("cache_per_token", Math.round(row.cachePerToken()));
        json.writeNumberField("peak_per_token", Math.round(row.peakPerToken()));
        json.writeEndObject();
    }
}
