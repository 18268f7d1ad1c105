package dev.headroom.model.scenario;

import org.jspecify.annotations.Nullable;

/**
 * A text that is no value of a setting. The message says why, without the setting's name: each reader has a word of its
 * own for it.
 */
public final class BadValue extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String part;
    private final String example;

    /** @param reason such as {@code 'x' is not a whole number} */
    BadValue(@Nullable String reason) {
        this("", reason, "");
    }

    /**
     * A value of several parts.
     *
     * @param part that is wrong, such as the name of a dimension; empty for all of it
     * @param example of a value that would do; empty for none
     */
    BadValue(String part, @Nullable String reason, String example) {
        super(reason);
        this.part = part;
        this.example = example;
    }

    /** What the user reads, with the setting mentioned. */
    public String line(Setting<?> setting) {
        return line(new Mention(setting.key(), null).toString(), new Mention(setting.key(), example).toString());
    }

    /**
     * What the user reads.
     *
     * @param name the reader's word for the setting
     */
    public String line(String name) {
        return line(name, name + " " + example);
    }

    private String line(String name, String written) {
        return name + (part.isEmpty() ? "" : " " + part) + ": " + getMessage()
                + (example.isEmpty() ? "" : "; write it like " + written);
    }
}
