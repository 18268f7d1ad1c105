package dev.headroom.app.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headroom.advisor.checkpoints.CheckpointChoice;
import dev.headroom.advisor.checkpoints.CheckpointPlans;
import dev.headroom.advisor.checkpoints.NestedLeast;
import dev.headroom.app.words.Door;
import dev.headroom.model.units.Mib;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The choices between memory and recomputation: a curve, what users would write without a search, and a bound. */
public final class CheckpointReport {
    private static final int WIDTH = 79;
    private static final int NAME = 22;

    private CheckpointReport() {}

    /** Writes a table of lines of at most 79 characters. */
    public static void write(String model, CheckpointPlans plans, Style style, PrintWriter out) {
        out.println(style.strong(model + ": peak of allocated memory over recomputation"));
        out.println();
        out.println(style.strong("Plans, none of them worse than another in both"));
        table(plans.pareto(), out);
        out.println();
        out.println(style.strong("Without a search"));
        table(plans.baselines(), out);
        out.println();
        String bound = "No choice of checkpoints, none inside another, needs less than " + Mib.text(plans.lowerBound())
                + String.format(Locale.ROOT, "; the leanest plan is %.1f %% above that.", 100 * plans.gap());
        Wrap.lines(bound, WIDTH, "  ").forEach(out::println);
        NestedLeast nested = plans.nestedLeast();
        if (nested != null && nested.saves() > 0) {
            String text = "Checkpoints inside checkpoints could save another " + Mib.text(nested.saves())
                    + String.format(Locale.ROOT, ", at %.1f %% recomputed", 100 * nested.recomputedShare())
                    + ": by costs alone, as predict takes no such plans.";
            Wrap.lines(text, WIDTH, "  ").forEach(out::println);
        }
        Wrap.lines("Method: " + plans.method(), WIDTH, "  ").forEach(line -> out.println(style.faint(line)));
    }

    private static void table(List<CheckpointChoice> choices, PrintWriter out) {
        for (CheckpointChoice c : choices) {
            String share = String.format(Locale.ROOT, "%.1f %%", 100 * c.recomputedShare());
            String line = "  " + Columns.right(Mib.text(c.peakAllocated()), 11) + Columns.right(share, 9) + "  "
                    + Columns.left(c.name(), NAME) + "  ";
            int room = WIDTH - line.length();
            String what = what(c);
            out.println((line + (what.length() <= room ? what : what.substring(0, room - 2) + "..")).stripTrailing());
        }
    }

    private static String what(CheckpointChoice c) {
        if (c.segments() > 0) {
            return Door.here().tell("`checkpoint=" + c.segments() + "`");
        }
        List<String> modules = c.modules();
        return modules.isEmpty()
                ? ""
                : modules.get(0) + (modules.size() > 1 ? " and " + (modules.size() - 1) + " more" : "");
    }

    /** Writes one object: {@code pareto, baselines, lower_bound, gap, exact, method, nested}; bytes throughout. */
    public static void writeJson(CheckpointPlans plans, Writer out) {
        JsonOutput.write(out, json -> {
            json.writeStartObject();
            choices(json, "pareto", plans.pareto());
            choices(json, "baselines", plans.baselines());
            json.writeNumberField("lower_bound", plans.lowerBound());
            json.writeNumberField("gap", plans.gap());
            json.writeBooleanField("exact", plans.exact());
            json.writeStringField("method", plans.method());
            nested(json, plans.nestedLeast());
            json.writeEndObject();
        });
    }

    /**
     * By the model of costs, not played: {@code peak_allocated, saves, recomputed_share, depth, exact, checkpoints}.
     */
    private static void nested(JsonGenerator json, @Nullable NestedLeast nested) throws IOException {
        if (nested == null) {
            json.writeNullField("nested");
            return;
        }
        json.writeObjectFieldStart("nested");
        json.writeNumberField("peak_allocated", nested.peakAllocated());
        json.writeNumberField("saves", nested.saves());
        json.writeNumberField("recomputed_share", nested.recomputedShare());
        json.writeNumberField("depth", nested.depth());
        json.writeBooleanField("exact", nested.exact());
        checkpoints(json, "checkpoints", nested.checkpoints());
        json.writeEndObject();
    }

    private static void checkpoints(JsonGenerator json, String key, List<NestedLeast.Checkpoint> checkpoints)
            throws IOException {
        json.writeArrayFieldStart(key);
        for (NestedLeast.Checkpoint c : checkpoints) {
            json.writeStartObject();
            json.writeStringField("modules", c.modules());
            checkpoints(json, "inner", c.inner());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void choices(JsonGenerator json, String key, List<CheckpointChoice> choices) throws IOException {
        json.writeArrayFieldStart(key);
        for (CheckpointChoice c : choices) {
            json.writeStartObject();
            json.writeStringField("name", c.name());
            json.writeNumberField("checkpoint", c.segments());
            JsonOutput.strings(json, "checkpoint_modules", c.modules());
            if (c.reentrant() == null) {
                json.writeNullField("reentrant");
            } else {
                json.writeBooleanField("reentrant", c.reentrant());
            }
            json.writeNumberField("peak_allocated", c.peakAllocated());
            json.writeNumberField("recomputed_flops", c.recomputedFlops());
            json.writeNumberField("recomputed_share", c.recomputedShare());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
