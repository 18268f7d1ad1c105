package dev.headroom.estimator.program.source;

import java.util.Set;

/**
 * Something that a statement spells and that may run operators.
 *
 * @param names operators, without their namespace, or modules that it may run
 * @param calls what more than one operator it may run
 */
record Spelled(Set<String> names, Calls calls) {
    /** How much is out of sight. */
    enum Calls {
        /** A function or a module whose operators are not spelled. */
        UNKNOWN,
        /** A function of PyTorch, which most often runs one operator of its name. */
        FUNCTION,
        /** A method, which most often runs one operator of its name. */
        METHOD,
        /** What most often runs no operator: {@code x.size(0)}, {@code len(x)}. */
        QUESTION,
        /** An arithmetic operator, of numbers or of tensors. */
        ARITHMETIC,
        /** An index, which runs an operator for each of its dimensions, or none. */
        INDEX
    }
}
