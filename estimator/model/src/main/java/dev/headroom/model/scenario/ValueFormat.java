package dev.headroom.model.scenario;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * How values of a setting are written.
 *
 * @param arity how many texts make a value
 * @param read the value of some texts; throws {@link BadValue}
 * @param write the texts of a value other than the default
 * @param json a value as {@code Long}, {@code Integer}, {@code Boolean}, {@code String}, a {@code List} of texts, a
 *     {@code Map} of numbers, or {@code null}
 * @param candidates texts to propose; empty where they are too many
 * @param <T> what the values are
 */
public record ValueFormat<T>(
        Arity arity,
        Function<List<String>, T> read,
        Function<T, List<String>> write,
        Function<T, Object> json,
        Supplier<List<String>> candidates) {
    /** How many texts make a value. */
    public enum Arity {
        /** None: that the setting is named makes it true. */
        FLAG,
        ONE,
        /** Each adds something. */
        MANY
    }

    /** A value is one text. */
    static <T> ValueFormat<T> one(
            Function<String, T> read, Function<T, String> write, Function<T, Object> json, List<String> candidates) {
        return new ValueFormat<>(
                Arity.ONE,
                texts -> read.apply(texts.get(texts.size() - 1)),
                value -> List.of(write.apply(value)),
                json,
                () -> candidates);
    }
}
