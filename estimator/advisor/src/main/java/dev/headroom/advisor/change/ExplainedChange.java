package dev.headroom.advisor.change;

/**
 * A change, and what an explanation says of it.
 *
 * @param key one word; of the changes with the same key the best counts
 * @param name what is done, with the options of the command line that do it
 * @param target the memory that it is after, which tells why it does little where it does
 */
public record ExplainedChange(Change change, String key, String name, Target target) {}
