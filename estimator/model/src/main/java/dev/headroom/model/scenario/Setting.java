package dev.headroom.model.scenario;

import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One setting of a scenario: where it is kept, how it is changed, and how users write it. Readers and writers of
 * scenarios (the command line, JSON, recordings) go by these rows of {@link ScenarioSettings} and know no setting by
 * themselves.
 *
 * @param <T> what its values are
 */
public final class Setting<T> {
    /**
     * How users write a setting.
     *
     * @param word on the command line, without its dashes
     * @param label stands for the value in help
     * @param help a sentence
     * @param alias another word for the same, or "": the one of a library or a script that people come from
     */
    public record Words<T>(String word, String label, String help, ValueFormat<T> format, String alias) {}

    /** What must hold for a value other than the default. */
    private record Requirement(Predicate<Scenario> possible, String otherwise) {
        static final Requirement NONE = new Requirement(scenario -> true, "");
    }

    private final String key;
    private final ScenarioPart<?> part;
    private final Function<Scenario, T> get;
    private final BiFunction<Scenario, T, Scenario> set;
    private final @Nullable Words<T> words;
    private final Predicate<T> trains;
    private final Requirement requirement;

    /** What the command line takes where nobody wrote it; {@code null} for the default of scenarios. */
    private final @Nullable Function<Scenario, T> unwritten;

    private Setting(
            String key,
            ScenarioPart<?> part,
            Function<Scenario, T> get,
            BiFunction<Scenario, T, Scenario> set,
            @Nullable Words<T> words,
            Predicate<T> trains,
            Requirement requirement,
            @Nullable Function<Scenario, T> unwritten) {
        this.key = key;
        this.part = part;
        this.get = get;
        this.set = set;
        this.words = words;
        this.trains = trains;
        this.requirement = requirement;
        this.unwritten = unwritten;
    }

    /** A setting that users have no words for: only programs give it. */
    static <P, T> Setting<T> of(String key, ScenarioPart<P> part, Function<P, T> get, BiFunction<P, T, P> with) {
        return new Setting<>(
                key,
                part,
                s -> get.apply(part.of(s)),
                (s, value) -> part.in(s, with.apply(part.of(s), value)),
                null,
                value -> false,
                Requirement.NONE,
                null);
    }

    /** The same, which users can write. */
    Setting<T> written(ValueFormat<T> format, String label, String help) {
        return written(key.replace('_', '-'), format, label, help);
    }

    /** The same, which users can write under another name than its key. */
    Setting<T> written(String word, ValueFormat<T> format, String label, String help) {
        Words<T> own = new Words<>(word, label, help, format, "");
        return new Setting<>(key, part, get, set, own, trains, requirement, unwritten);
    }

    /** The same, which has a second word. */
    Setting<T> alias(String word) {
        Words<T> own = Objects.requireNonNull(words);
        Words<T> more = new Words<>(own.word, own.label, own.help, own.format, word);
        return new Setting<>(key, part, get, set, more, trains, requirement, unwritten);
    }

    /** The same, of which some values mean nothing to a run that only infers. */
    Setting<T> trainsWith(Predicate<T> values) {
        return new Setting<>(key, part, get, set, words, values, requirement, unwritten);
    }

    /**
     * The same, which a scenario may have only under a condition.
     *
     * @param otherwise a clause that tells why not
     */
    Setting<T> onlyIf(Predicate<Scenario> possible, String otherwise) {
        return new Setting<>(key, part, get, set, words, trains, new Requirement(possible, otherwise), unwritten);
    }

    /**
     * The same, for which the command line has a default of its own.
     *
     * @param value of a scenario whose other settings are given
     */
    Setting<T> unwritten(Function<Scenario, T> value) {
        return new Setting<>(key, part, get, set, words, trains, requirement, value);
    }

    /** Why a scenario cannot have the value that it has; empty where it can. */
    public Optional<String> objection(Scenario scenario) {
        return isDefault(scenario) || requirement.possible.test(scenario)
                ? Optional.empty()
                : Optional.of(requirement.otherwise);
    }

    /** Its name in JSON and in messages, such as {@code zero_grad_keep}. */
    public String key() {
        return key;
    }

    /** How users write it; empty for one that only programs give. */
    public Optional<Words<T>> words() {
        return Optional.ofNullable(words);
    }

    /** The value in a scenario. */
    public T get(Scenario scenario) {
        return get.apply(scenario);
    }

    /** The scenario with another value. */
    public Scenario set(Scenario scenario, @Nullable T value) {
        return set.apply(scenario, value);
    }

    /** The scenario as the command line has it where nobody writes this setting. */
    public Scenario leftOut(Scenario scenario) {
        return unwritten == null ? scenario : set(scenario, unwritten.apply(scenario));
    }

    /** Whether the command line comes to the same value when nobody writes this setting. */
    boolean canBeLeftOut(Scenario scenario) {
        return unwritten == null ? isDefault(scenario) : Objects.equals(get(scenario), unwritten.apply(scenario));
    }

    boolean isKeptBy(ScenarioPart<?> other) {
        return part.equals(other);
    }

    /** Whether a scenario has the default. */
    public boolean isDefault(Scenario scenario) {
        return Objects.equals(get(scenario), get(Scenario.defaults()));
    }

    /** Whether a scenario's value is of use to training alone. */
    public boolean trains(Scenario scenario) {
        return trains.test(get(scenario));
    }

    @Override
    public String toString() {
        return key;
    }
}
