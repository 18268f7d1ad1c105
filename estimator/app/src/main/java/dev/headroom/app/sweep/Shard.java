package dev.headroom.app.sweep;

import dev.headroom.app.option.BadOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A part of a sweep.
 *
 * @param index from 1
 * @param count of parts
 */
record Shard(int index, int count) {
    static final Shard ALL = new Shard(1, 1);

    private static final Pattern WORDS = Pattern.compile("(\\d{1,7})/(\\d{1,7})");

    /**
     * Reads such as {@code 3/8}.
     *
     * @throws BadOption for other words
     */
    static Shard parse(String text) {
        Matcher m = WORDS.matcher(text);
        if (m.matches()) {
            Shard shard = new Shard(Integer.parseInt(m.group(1)), Integer.parseInt(m.group(2)));
            if (shard.index >= 1 && shard.index <= shard.count) {
                return shard;
            }
        }
        throw new BadOption("--shard: '" + text + "' is no part; write such as 1/8, the first of eight");
    }

    /** Whether the part has the group of that number. */
    boolean has(int group) {
        return group % count == index - 1;
    }
}
