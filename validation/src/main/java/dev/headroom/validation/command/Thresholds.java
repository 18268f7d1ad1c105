package dev.headroom.validation.command;

import dev.headroom.model.error.UserInputException;
import dev.headroom.validation.report.Percent;
import dev.headroom.validation.runs.Outcome;
import dev.headroom.validation.runs.Scores;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a lab may ask of a validation; what was not kept is one line each. */
final class Thresholds {
    private static final double HUNDRED = 100;

    @Option(
            names = "--max-median-error",
            paramLabel = "PERCENT",
            description = "Of the runs' errors; a run's error is that of its worst peak.")
    @Nullable
    String median;

    @Option(names = "--max-error", paramLabel = "PERCENT", description = "Of the run that is furthest off.")
    @Nullable
    String worst;

    @Option(
            names = "--max-90-error",
            paramLabel = "PERCENT",
            description = "The error that nine of ten runs do not exceed.")
    @Nullable
    String ninety;

    @Option(
            names = "--max-wrong-verdicts",
            paramLabel = "N",
            description = "Runs that were said to fit and ran out, or the other way round.")
    @Nullable
    String wrong;

    @Option(names = "--max-brier", paramLabel = "SCORE", description = "Of the probability of running out of memory.")
    @Nullable
    String brier;

    @Option(names = "--min-coverage", paramLabel = "PERCENT", description = "Intervals that hold what was measured.")
    @Nullable
    String coverage;

    /**
     * Checks that every value is a number, before anything is predicted.
     *
     * @throws UserInputException for one that is none
     */
    void parse() {
        percent("--max-median-error", median);
        percent("--max-error", worst);
        percent("--max-90-error", ninety);
        percent("--min-coverage", coverage);
        number("--max-wrong-verdicts", wrong);
        number("--max-brier", brier);
    }

    /** What was asked for and not kept. */
    List<String> missed(Scores scores) {
        List<String> out = new ArrayList<>();
        above(
                out,
                "--max-median-error",
                "the median error",
                scores.all().errors().median(),
                median);
        above(
                out,
                "--max-90-error",
                "the error of nine in ten",
                scores.all().errors().ninety(),
                ninety);
        double largest = scores.all().errors().worst();
        above(out, "--max-error", run(scores) + "the worst error", largest, worst);
        if (wrong != null && scores.verdicts().wrong() > number("", wrong)) {
            out.add(scores.verdicts().wrong() + " wrong verdicts are more than --max-wrong-verdicts " + wrong);
        }
        if (brier != null && !(scores.verdicts().brier() <= number("", brier))) {
            out.add(String.format(
                    Locale.ROOT,
                    "the Brier score of %.4f is above --max-brier %s",
                    scores.verdicts().brier(),
                    brier));
        }
        // NaN, no interval at all, is not enough either.
        if (coverage != null && !(scores.coverage().share() >= percent("", coverage))) {
            out.add("the coverage of " + Percent.of(scores.coverage().share()) + " is below --min-coverage "
                    + coverage);
        }
        return out;
    }

    private static String run(Scores scores) {
        return scores.worst().stream()
                .filter(o -> o.worst().isPresent()
                        && o.worst().get().size() == scores.all().errors().worst())
                .findFirst()
                .map(Outcome::name)
                .map(name -> name + ": ")
                .orElse("");
    }

    private static void above(List<String> out, String option, String what, double reached, @Nullable String asked) {
        if (asked != null && !(reached <= percent(option, asked))) {
            out.add(what + " of " + Percent.of(reached) + " is above " + option + " " + asked);
        }
    }

    private static double percent(String option, @Nullable String text) {
        return number(option, text == null ? null : text.replaceFirst("\\s*%$", "")) / HUNDRED;
    }

    private static double number(String option, @Nullable String text) {
        try {
            double value = text == null ? 0 : Double.parseDouble(text.strip());
            if (value >= 0 && value < Double.POSITIVE_INFINITY) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new UserInputException(option + ": '" + text + "' is not a number", e);
        }
        throw new UserInputException(option + ": " + text + " is out of range; it takes 0 or more");
    }
}
