package dev.headroom.executor.cuda;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The plans that the null cuDNN has for convolutions: one for each, unless a test says otherwise. It writes down what it
 * is asked, if a test wants to know. The library reads and writes files beside {@link NullCuda}'s.
 */
public final class NullPlans {
    /** Of a plan's engine: it rounds operands, which PyTorch does not take. */
    public static final int DOWN_CONVERTS = 1 << 1;

    /** Of a plan's engine: it adds up in any order. */
    public static final int NONDETERMINISTIC = 1 << 4;

    private final Path known;
    private final Path asked;

    /** Heuristic modes that PyTorch asks for, with their numbers. */
    public enum Mode {
        INSTANT(0),
        FALLBACK(2);

        private final int number;

        Mode(int number) {
            this.number = number;
        }
    }

    /**
     * A plan.
     *
     * @param notes of its engine, such as {@link #NONDETERMINISTIC}
     * @param finishes whether the plan can be made
     * @param runs whether it runs
     * @param question what it is for, as {@link #asked} writes it; {@code *} for everything
     */
    public record Plan(
            Mode mode, long engine, long workspace, int notes, boolean finishes, boolean runs, String question) {
        /** A good one of an engine, for everything. */
        public static Plan of(Mode mode, long engine, long workspace) {
            return new Plan(mode, engine, workspace, 0, true, true, "*");
        }

        public Plan notes(int bits) {
            return new Plan(mode, engine, workspace, bits, finishes, runs, question);
        }

        /** One that cannot be made. */
        public Plan unfinished() {
            return new Plan(mode, engine, workspace, notes, false, runs, question);
        }

        /** One that is made, and fails when it runs. */
        public Plan failing() {
            return new Plan(mode, engine, workspace, notes, finishes, false, question);
        }

        private String line() {
            return mode.number + " " + engine + " " + workspace + " " + notes + " " + (finishes ? 1 : 0) + " "
                    + (runs ? 1 : 0) + " " + question;
        }
    }

    NullPlans(Path folder) {
        long process = ProcessHandle.current().pid();
        known = folder.resolve("plans-" + process);
        asked = folder.resolve("asked-" + process);
        known.toFile().deleteOnExit();
        asked.toFile().deleteOnExit();
    }

    /** From now on these and no others, in this order. */
    public void know(Stream<Plan> plans) {
        write(known, plans.map(Plan::line).toList());
    }

    /** From now on questions are written down. */
    public void listen() {
        write(asked, List.of());
    }

    /**
     * The questions since {@link #listen}: the mode, and what {@code dnn_operation.c} writes of an operation.
     */
    public List<String> asked() {
        try {
            return Files.readAllLines(asked);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void clear() {
        try {
            Files.deleteIfExists(known);
            Files.deleteIfExists(asked);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Path file, List<String> lines) {
        try {
            Files.write(file, lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
