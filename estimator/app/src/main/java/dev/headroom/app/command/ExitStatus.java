package dev.headroom.app.command;

/** What the process returns. */
public final class ExitStatus {
    /** The run fits, or no device was named. */
    public static final int OK = 0;

    /** A defect of Headroom. */
    public static final int DEFECT = 1;

    /** Bad input: one line on standard error says what, where, and what to do. */
    public static final int BAD_INPUT = 2;

    /** The run does not fit. */
    public static final int DOES_NOT_FIT = 3;

    /** What help says of them, for commands that answer about one run. */
    static final String OF_A_RUN =
            "Exit status: 0 fits or no device named, 3 does not fit, 2 bad input, 1 a defect of Headroom.";

    private ExitStatus() {}
}
