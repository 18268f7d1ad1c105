package dev.headroom.validation.published;

import static dev.headroom.model.scenario.ParallelSettings.MICROBATCHES;
import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.WORLD;

import dev.headroom.estimator.predict.DeviceMemory;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.units.Mib;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.function.UnaryOperator;

/**
 * P6 on several cards: what each of them holds under {@code DataParallel}, with the layers divided over the cards, with
 * microbatches in turns, and with recomputation on top. Where pairs of cards with divided layers train side by side,
 * each pair has its part of the batch; the buffers in which gradients would travel between pairs are not counted.
 */
public final class XRays {
    private static final long MEMORY = 64L << 30;
    private static final String CARD = "rtx-2080-super";
    private static final String RECOMPUTED = "dense layers checkpointed";
    private static final int MOST_CARDS = 4;

    /** How a run is spread, and over how many cards. */
    private record Spread(ParallelKind kind, int cards, int microbatches, String remedy, int pairs) {
        Prediction play(long batch) {
            UnaryOperator<Scenario> options = Remedies.remedy(remedy);
            return Remedies.xRay(
                    run -> options.apply(run)
                            .with(PARALLEL, kind)
                            .with(WORLD, cards)
                            .with(MICROBATCHES, microbatches),
                    CARD,
                    batch / pairs,
                    MEMORY);
        }
    }

    private static final Map<String, Spread> SPREADS = new LinkedHashMap<>();

    static {
        SPREADS.put("DataParallel, 2 cards", new Spread(ParallelKind.DP, 2, 1, "plain", 1));
        SPREADS.put("DataParallel, 4 cards", new Spread(ParallelKind.DP, 4, 1, "plain", 1));
        SPREADS.put("layers divided, 2 cards", new Spread(ParallelKind.MP, 2, 1, "plain", 1));
        SPREADS.put("layers divided, 4 cards", new Spread(ParallelKind.MP, 4, 1, "plain", 1));
        SPREADS.put("layers divided, 2 cards, 4 microbatches", new Spread(ParallelKind.MP, 2, 4, "plain", 1));
        SPREADS.put("layers divided, 4 cards, 4 microbatches", new Spread(ParallelKind.MP, 4, 4, "plain", 1));
        SPREADS.put(
                "a pair of 2 with half the batch, layers divided, 4 microbatches",
                new Spread(ParallelKind.MP, 2, 4, "plain", 2));
        SPREADS.put("layers divided, 2 cards, " + RECOMPUTED, new Spread(ParallelKind.MP, 2, 1, RECOMPUTED, 1));
        SPREADS.put("DataParallel, 2 cards, " + RECOMPUTED, new Spread(ParallelKind.DP, 2, 1, RECOMPUTED, 1));
        SPREADS.put("DataParallel, 4 cards, " + RECOMPUTED, new Spread(ParallelKind.DP, 4, 1, RECOMPUTED, 1));
    }

    private XRays() {}

    /** How the runs can be spread, by name. */
    public static List<String> names() {
        return List.copyOf(SPREADS.keySet());
    }

    /** Two steps, spread so, without a card that limits them. */
    public static Prediction play(String name, long batch) {
        return Objects.requireNonNull(SPREADS.get(name), name).play(batch);
    }

    /** Peaks of allocated and reserved memory by card, as Markdown. */
    static List<String> table() {
        List<String> out = new ArrayList<>();
        StringJoiner head = new StringJoiner(" | ", "| system | run, allocated / reserved MiB | ", " |");
        for (int card = 0; card < MOST_CARDS; card++) {
            head.add("card " + card);
        }
        out.add(head.toString());
        out.add("|---|---|" + "---|".repeat(MOST_CARDS));
        for (String name : names()) {
            StringJoiner row = new StringJoiner(" | ", "| P6 | " + name + " | ", " |");
            List<DeviceMemory> devices = play(name, 8).devices();
            for (int card = 0; card < MOST_CARDS; card++) {
                row.add(card < devices.size() ? figures(devices.get(card)) : "");
            }
            out.add(row.toString());
        }
        return out;
    }

    private static String figures(DeviceMemory device) {
        return String.format(
                Locale.ROOT,
                "%.0f / %.0f",
                Mib.of(device.peak().allocated()),
                Mib.of(device.peak().reserved()));
    }
}
