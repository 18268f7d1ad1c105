package dev.headroom.model.script;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A step of a loop. */
public sealed interface Statement {
    /** Where it stands in the file. */
    int line();

    /**
     * {@code a, b = value}, or a call on its own.
     *
     * @param targets names that are bound to the value; none for a call on its own
     */
    record Line(List<String> targets, Expr value, int line) implements Statement {}

    /** {@code del a, b}. */
    record Delete(List<String> names, int line) implements Statement {}

    /** What a block does with its body. */
    enum Kind {
        /** {@code with torch.no_grad():}. */
        NO_GRAD,
        /** {@code with torch.autocast("cuda", type):}. */
        AUTOCAST,
        /** {@code for _ in range(number):}. */
        REPEAT,
        /** {@code if (step + 1) % number == 0:}. */
        EVERY
    }

    /**
     * Statements in a block.
     *
     * @param number of {@link Kind#REPEAT} and {@link Kind#EVERY}; else 0
     * @param type of {@link Kind#AUTOCAST}: {@code bf16} or {@code fp16}; {@code null} for that of the run
     */
    record Block(Kind kind, int number, @Nullable String type, List<Statement> body, int line) implements Statement {}
}
