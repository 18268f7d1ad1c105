package dev.headroom.model.error;

import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Bad input: one line that says what, where, and what to do. Never a defect of Headroom. */
public class UserInputException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What could break a line or confuse a terminal: names out of a damaged file may hold anything. */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cntrl}\\u0080-\\u009F\\u2028\\u2029]+");

    public UserInputException(@Nullable String message) {
        super(oneLine(message));
    }

    public UserInputException(@Nullable String message, Throwable cause) {
        super(oneLine(message), cause);
    }

    @Override
    public String getMessage() {
        return Objects.requireNonNullElse(super.getMessage(), "");
    }

    private static @Nullable String oneLine(@Nullable String message) {
        return message == null ? null : UNPRINTABLE.matcher(message).replaceAll(" ");
    }
}
