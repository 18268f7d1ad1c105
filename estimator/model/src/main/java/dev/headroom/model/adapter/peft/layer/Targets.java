package dev.headroom.model.adapter.peft.layer;

import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.error.BriefText;
import dev.headroom.model.error.Suggestion;
import dev.headroom.model.error.UserInputException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** Which modules a list of targets means (peft, tuners/tuners_utils.py, check_target_module_exists). */
public final class Targets {
    private static final String ALL_LINEAR = "all-linear";
    private static final Pattern SYNTAX = Pattern.compile("[*+?()\\[\\]|^$\\\\]");

    /** What peft takes where nothing is named, by what a model has (utils/constants.py); the first that is there. */
    private static final List<List<String>> USUAL = List.of(
            List.of("q_proj", "v_proj"),
            List.of("qkv_proj"),
            List.of("c_attn"),
            List.of("query_key_value"),
            List.of("query", "value"),
            List.of("q", "v"),
            List.of("Wqkv"));

    private final List<String> named;
    private final @Nullable Pattern pattern;

    private Targets(List<String> named) {
        this.named = named;
        this.pattern = pattern(String.join(",", named));
    }

    public static Targets named(List<String> names) {
        return new Targets(names);
    }

    /** Whether they are one regular expression. */
    public boolean isPattern() {
        return pattern != null;
    }

    /** Those of a model; what is named but is not there is refused. */
    public static Targets of(AdapterOptions options, Collection<String> modules) {
        boolean others = !options.targetParameters().isEmpty();
        if (!options.targets().isEmpty()) {
            Targets named = new Targets(options.targets());
            if (!named.allLinear() && !others) {
                named.require(modules);
            }
            return named;
        }
        Optional<Targets> usual = USUAL.stream()
                .map(Targets::new)
                .filter(t -> modules.stream().anyMatch(t::matches))
                .findFirst();
        if (usual.isEmpty() && !others) {
            throw new UserInputException("`lora`: the model has none of the modules that peft adapts by itself; name"
                    + " some with `targets`, or write `targets=all-linear`");
        }
        return usual.orElse(new Targets(List.of("")));
    }

    /** Whether every linear layer but the output's is meant. */
    public boolean allLinear() {
        return named.size() == 1 && named.get(0).toLowerCase(Locale.ROOT).equals(ALL_LINEAR);
    }

    /** Whether a module is named. */
    public boolean matches(String path) {
        if (pattern != null) {
            return pattern.matcher(new BriefText(path)).matches();
        }
        return named.stream().anyMatch(n -> ends(path, n));
    }

    /** One text with the syntax of regular expressions is one, commas and all. */
    private static @Nullable Pattern pattern(String text) {
        try {
            return SYNTAX.matcher(text).find() ? Pattern.compile(text) : null;
        } catch (PatternSyntaxException e) {
            throw new UserInputException(
                    "`targets`: '" + text + "' is no regular expression: " + e.getDescription(), e);
        }
    }

    public static boolean ends(String path, String name) {
        return path.equals(name) || path.endsWith("." + name);
    }

    /** Refuses targets that mean nothing: names that no module has, or a pattern that none matches. */
    private void require(Collection<String> modules) {
        if (pattern != null) {
            if (modules.stream().noneMatch(this::matches)) {
                throw new UserInputException("`targets`: no module's path matches '" + String.join(",", named) + "'");
            }
            return;
        }
        if (absent(modules).size() == named.size()) {
            requireSome("`targets`", "module", named.get(0), modules, path -> ends(path, named.get(0)));
        }
    }

    /** Names that no module has; peft leaves them out where it finds others. */
    public List<String> absent(Collection<String> modules) {
        return pattern != null || allLinear()
                ? List.of()
                : named.stream()
                        .filter(n -> modules.stream().noneMatch(path -> ends(path, n)))
                        .toList();
    }

    /** Refuses a name that nothing has. */
    public static void requireSome(
            String option, String what, String name, Collection<String> paths, Predicate<String> means) {
        if (paths.stream().noneMatch(means)) {
            throw new UserInputException(
                    option + ": the model has no " + what + " '" + name + "'" + Suggestion.of(name, ends(paths)));
        }
    }

    private static List<String> ends(Collection<String> paths) {
        Set<String> out = new LinkedHashSet<>();
        paths.forEach(p -> out.add(p.substring(p.lastIndexOf('.') + 1)));
        out.removeIf(n -> n.isEmpty() || n.chars().allMatch(Character::isDigit));
        return new ArrayList<>(out);
    }
}
