package dev.headroom.app.option;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * GPUs in words: {@code 8}, or {@code 8xa100-80gb}.
 *
 * @param gpus how many
 * @param card the name of a card, or {@code null}
 */
public record GpuCount(int gpus, String card) {
    private static final Pattern WORDS = Pattern.compile("(\\d{1,7})(?:x(.+))?");

    /**
     * Reads the words.
     *
     * @throws BadOption for other words
     */
    public static GpuCount parse(String option, String text) {
        Matcher m = WORDS.matcher(text);
        if (!m.matches() || Integer.parseInt(m.group(1)) < 2) {
            throw new BadOption(
                    option + ": '" + text + "' is not a number of GPUs of at least 2; write 8 or 8xa100-80gb");
        }
        return new GpuCount(Integer.parseInt(m.group(1)), m.group(2));
    }
}
