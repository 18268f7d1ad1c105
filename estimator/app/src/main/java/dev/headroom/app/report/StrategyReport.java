package dev.headroom.app.report;

import dev.headroom.advisor.strategies.PlayedStrategy;
import dev.headroom.app.option.ScenarioArguments;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.model.units.Mib;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import java.util.Objects;

/** Strategies for several GPUs, ranked, with the lines of PyTorch or DeepSpeed to write. */
public final class StrategyReport {
    private static final int WIDTH = 79;
    private static final int NAME = 30;
    private static final int NUMBER = 12;
    private static final int SHOWN = 3;

    private StrategyReport() {}

    /** Writes a table of all, and how to write the first ones that fit. */
    public static void write(String model, int gpus, List<PlayedStrategy> all, Style style, PrintWriter out) {
        boolean any = all.stream().anyMatch(PlayedStrategy::fits);
        out.println(style.strong(
                any
                        ? model + " on " + gpus + " GPUs: strategies that fit come first, by what they communicate"
                        : model + " on " + gpus + " GPUs: no strategy fits"));
        out.println();
        out.println(style.strong(Columns.left("Strategy", NAME)
                + Columns.right("fits", 6)
                + Columns.right("reserved", NUMBER)
                + Columns.right("device", NUMBER)
                + Columns.right("sent a step", 14)));
        for (PlayedStrategy s : all) {
            if (!s.refused().isEmpty()) {
                Wrap.lines("  " + s.strategy().name() + ": " + s.refused(), WIDTH, "    ")
                        .forEach(line -> out.println(style.faint(line)));
                continue;
            }
            Prediction.Peak peak = Objects.requireNonNull(s.peak());
            out.println(Columns.left("  " + s.strategy().name(), NAME)
                    + Columns.right(s.fits() ? "yes" : "no", 6)
                    + Columns.right(Mib.text(peak.reserved()), NUMBER)
                    + Columns.right(Mib.text(peak.device()), NUMBER)
                    + Columns.right(Mib.text(s.communicated()), 14));
        }
        List<PlayedStrategy> best =
                all.stream().filter(PlayedStrategy::fits).limit(SHOWN).toList();
        for (PlayedStrategy s : best) {
            out.println();
            Wrap.lines(s.strategy().name() + ": " + s.strategy().effect(), WIDTH, "  ")
                    .forEach(out::println);
            s.strategy().code().forEach(line -> out.println("  " + line));
        }
        if (!best.isEmpty()) {
            out.println();
            out.println("Start it with: torchrun --nproc-per-node " + gpus + " train.py");
        }
    }

    /** Writes one object: {@code gpus} and {@code strategies}; bytes throughout. */
    public static void writeJson(int gpus, List<PlayedStrategy> all, Writer out) {
        JsonOutput.write(out, json -> {
            json.writeStartObject();
            json.writeNumberField("gpus", gpus);
            json.writeArrayFieldStart("strategies");
            for (PlayedStrategy s : all) {
                json.writeStartObject();
                json.writeStringField("name", s.strategy().name());
                json.writeBooleanField("fits", s.fits());
                json.writeStringField("refused", s.refused());
                Prediction.Peak peak = s.peak();
                if (peak != null) {
                    json.writeObjectFieldStart("peak");
                    json.writeNumberField("allocated", peak.allocated());
                    json.writeNumberField("reserved", peak.reserved());
                    json.writeNumberField("device", peak.device());
                    json.writeEndObject();
                }
                json.writeNumberField("communicated", s.communicated());
                JsonOutput.strings(json, "arguments", ScenarioArguments.of(s.run()));
                JsonOutput.strings(json, "code", s.strategy().code());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        });
    }
}
