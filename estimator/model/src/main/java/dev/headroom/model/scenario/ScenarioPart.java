package dev.headroom.model.scenario;

import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A record within the scenario, and the scenario with another one in its place.
 *
 * @param <P> the record
 */
record ScenarioPart<P>(Function<Scenario, P> get, BiFunction<Scenario, P, Scenario> set) {
    P of(Scenario scenario) {
        return get.apply(scenario);
    }

    Scenario in(Scenario scenario, P part) {
        return set.apply(scenario, part);
    }

    /** A record within the record. */
    <Q> ScenarioPart<Q> part(Function<P, Q> inner, BiFunction<P, Q, P> with) {
        return new ScenarioPart<>(s -> inner.apply(of(s)), (s, changed) -> in(s, with.apply(of(s), changed)));
    }
}
