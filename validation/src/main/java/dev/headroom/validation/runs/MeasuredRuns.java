package dev.headroom.validation.runs;

import java.util.List;

/** One measured run, or several that are predicted together. */
public interface MeasuredRuns {
    /** Where it comes from, such as {@code recordings}. */
    String source();

    /** For messages: a file, or what was run. */
    String name();

    /**
     * Predicts and compares; may be called from any thread.
     *
     * @throws dev.headroom.model.error.UserInputException when it cannot be, saying why
     */
    List<Outcome> compare();
}
