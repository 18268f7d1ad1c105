package dev.headroom.app.report;

import dev.headroom.advisor.change.Change;
import dev.headroom.advisor.change.Cost;
import dev.headroom.advisor.change.OptionWords;
import dev.headroom.advisor.plans.Advice;
import dev.headroom.advisor.plans.Goal;
import dev.headroom.advisor.plans.Largest;
import dev.headroom.advisor.plans.Plan;
import dev.headroom.advisor.plans.Shortfall;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.model.units.Decimals;
import dev.headroom.model.units.Mib;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Advice for people: the verdict, what is the most and the least, and the plans with the code to change. */
public final class AdviceReport {
    private static final int WIDTH = 79;
    private static final int MOST_PLANS = 8;
    private static final int NAME = 24;

    private final Advice advice;
    private final Style style;
    private final PrintWriter out;

    private AdviceReport(Advice advice, Style style, PrintWriter out) {
        this.advice = advice;
        this.style = style;
        this.out = out;
    }

    /** Writes lines of at most 79 characters, but for long lines of code. */
    public static void write(Advice advice, Style style, PrintWriter out) {
        new AdviceReport(advice, style, out).write();
    }

    private void write() {
        Prediction asked = advice.asked();
        Verdict.lines(asked, style, WIDTH).forEach(out::println);
        wrapped(asked.model() + ": " + ScenarioText.words(asked.run()));
        out.println();
        if (asked.verdict().minimumMemory() != null) {
            fact("Least memory", Mib.text(asked.verdict().minimumMemory()) + " of the device, as the run stands");
        }
        advice.largest().forEach(this::largest);
        plans();
        advice.notes().forEach(note -> wrapped("note: " + note));
        asked.warnings().forEach(warning -> Wrap.lines("warning: " + warning, WIDTH, "  ")
                .forEach(line -> out.println(style.faint(line))));
    }

    private void largest(Largest largest) {
        String name = largest.name().equals("batch") ? "Largest batch" : "Largest " + largest.name();
        String next = largest.next()
                + (largest.limit() == Largest.Limit.MEMORY ? " does not fit" : " is more than the model takes");
        fact(name, largest.value() == null ? "none: " + next : largest.value() + " (" + next + ")" + safe(largest));
    }

    private static String safe(Largest largest) {
        if (largest.safe() == null) {
            return "";
        }
        String risk = "; at most " + Decimals.fixed(100 * Largest.RISK, 0) + " % risk";
        return largest.safe().equals(largest.value()) ? risk : risk + " up to " + largest.safe();
    }

    private void fact(String name, String text) {
        out.println(style.strong(Columns.left(name, NAME)) + text);
    }

    private void plans() {
        List<Plan> plans = advice.plans();
        out.println();
        if (plans.isEmpty()) {
            if (!advice.fits()) {
                out.println(style.bad("Nothing that was tried makes it fit."));
                shortfall(advice.shortfall());
            } else {
                out.println("Nothing that was tried allows a larger batch.");
            }
            return;
        }
        boolean keeps = advice.goal() == Goal.KEEP_BATCH && !advice.fits();
        out.println(style.strong(
                keeps
                        ? "Plans that make it fit, the least intrusive first; each was simulated"
                        : "Plans for a larger batch, the least intrusive first; each was simulated"));
        int number = 0;
        for (Plan plan : plans.subList(0, Math.min(MOST_PLANS, plans.size()))) {
            out.println();
            plan(++number, plan, keeps);
        }
        if (plans.size() > MOST_PLANS) {
            out.println();
            out.println(plans.size() - MOST_PLANS + " more with --json");
        }
        out.println();
    }

    private void shortfall(@Nullable Shortfall shortfall) {
        if (shortfall != null) {
            StringJoiner changes = new StringJoiner(", ");
            shortfall.changes().forEach(change -> changes.add(change.title()));
            wrapped("At best it needs " + Mib.text(shortfall.minimumMemory()) + ", " + Mib.text(shortfall.missing())
                    + " more than there is" + (shortfall.changes().isEmpty() ? "." : ", with " + changes + "."));
        }
    }

    private void plan(int number, Plan plan, boolean keeps) {
        StringJoiner title = new StringJoiner(", ");
        if (!keeps) {
            title.add("batch " + plan.prediction().run().sizes().batch());
        }
        plan.changes().forEach(change -> title.add(change.title()));
        List<String> lines = Wrap.lines(number + ". " + title, WIDTH, "   ");
        lines.forEach(line -> out.println(style.good(line)));
        Prediction p = plan.prediction();
        Long headroom = p.verdict().headroom();
        indented("peak " + Mib.text(p.peak().allocated()) + " allocated, "
                + Mib.text(p.peak().reserved())
                + " reserved, " + Mib.text(p.peak().device()) + " device"
                + (headroom == null ? "" : "; " + Mib.text(headroom) + " free")
                + Verdict.risk(p.verdict()));
        indented("price: " + price(plan));
        for (Change change : plan.changes()) {
            change.code().forEach(line -> out.println(style.faint("       " + line)));
        }
        indented("options: " + OptionWords.of(p.run()));
    }

    private static String price(Plan plan) {
        Cost cost = plan.cost();
        List<String> parts = new ArrayList<>();
        if (cost.recomputedShare() > 0) {
            parts.add(Decimals.fixed(100 * cost.recomputedShare(), 1) + " % of the step's FLOPs run again");
        }
        if (cost.passes() > 1) {
            parts.add(cost.passes() + " passes in place of one");
        }
        parts.addAll(plan.effects());
        return parts.isEmpty() ? "none" : String.join("; ", parts);
    }

    private void indented(String text) {
        Wrap.lines(text, WIDTH - 3, "  ").forEach(line -> out.println("   " + line));
    }

    private void wrapped(String text) {
        Wrap.lines(text, WIDTH, "  ").forEach(out::println);
    }
}
