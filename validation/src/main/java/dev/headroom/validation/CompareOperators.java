package dev.headroom.validation;

import dev.headroom.fixtures.OperatorCase;
import java.nio.file.Path;
import java.util.List;

/**
 * Plays operator cases and prints those whose events differ from the recording. {@code CompareOperators FOLDER
 * [PART_OF_FAMILY/NAME] [-v]}; with {@code -v} both sequences of events, side by side. {@code h100} in place of the
 * folder: as an H100 ran them.
 */
public final class CompareOperators {
    private CompareOperators() {}

    /** See the class. */
    public static void main(String[] args) {
        String filter = args.length > 1 ? args[1] : "";
        boolean verbose = args.length > 2;
        int all = 0;
        int exact = 0;
        for (OperatorCase c : cases(args[0])) {
            if (!c.label().contains(filter)) {
                continue;
            }
            all++;
            String difference = difference(c, verbose);
            exact += difference.isEmpty() ? 1 : 0;
            if (!difference.isEmpty()) {
                System.out.println(c.label() + ": " + difference);
            }
        }
        System.out.println(exact + " of " + all + " exact");
    }

    private static List<OperatorCase> cases(String where) {
        if (where.equals("h100")) {
            return OperatorCase.onH100();
        }
        return OperatorCase.families(Path.of(where)).stream()
                .flatMap(file -> OperatorCase.read(file).stream())
                .toList();
    }

    private static String difference(OperatorCase c, boolean verbose) {
        try {
            PlayedCase played = PlayedCase.play(c);
            if (verbose) {
                System.out.println(played.sideBySide(c));
            }
            return (played.unmodelled().isEmpty() ? "" : "no rule for " + played.unmodelled() + " ")
                    + played.divergence(c);
        } catch (RuntimeException e) {
            return e + " at " + (e.getStackTrace().length == 0 ? "" : e.getStackTrace()[0].toString());
        }
    }
}
