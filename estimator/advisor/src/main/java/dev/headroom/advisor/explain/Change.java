package dev.headroom.advisor.explain;

import dev.headroom.model.scenario.Scenario;
import java.util.function.UnaryOperator;

/**
 * Something that a user might change.
 *
 * @param key one word; of the changes with the same key the best counts
 * @param name what is done, with the option of the command line
 * @param set does it
 * @param otherwise why it has no effect where it has none; "" where there is no more to say
 */
record Change(String key, String name, UnaryOperator<Scenario> set, String otherwise) {}
