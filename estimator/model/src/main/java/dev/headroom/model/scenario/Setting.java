package dev.headroom.model.scenario;

import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * One setting of a scenario: where it is kept, and how it is changed.
 *
 * @param <T> what its values are
 */
public final class Setting<T> {
    /** A record within the scenario. */
    record Part<P>(Function<Scenario, P> get, BiFunction<Scenario, P, Scenario> set) {
        /** A setting that the record keeps. */
        <T> Setting<T> keeps(Function<P, T> value, BiFunction<P, T, P> with) {
            return new Setting<>(
                    s -> value.apply(get.apply(s)), (s, changed) -> set.apply(s, with.apply(get.apply(s), changed)));
        }

        /** A record within the record. */
        <Q> Part<Q> part(Function<P, Q> inner, BiFunction<P, Q, P> with) {
            return new Part<>(
                    s -> inner.apply(get.apply(s)), (s, changed) -> set.apply(s, with.apply(get.apply(s), changed)));
        }
    }

    private final Function<Scenario, T> get;
    private final BiFunction<Scenario, T, Scenario> set;

    Setting(Function<Scenario, T> get, BiFunction<Scenario, T, Scenario> set) {
        this.get = get;
        this.set = set;
    }

    /** The value in a scenario. */
    public T get(Scenario scenario) {
        return get.apply(scenario);
    }

    /** The scenario with another value. */
    public Scenario set(Scenario scenario, T value) {
        return set.apply(scenario, value);
    }
}
