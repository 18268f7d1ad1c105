package dev.headroom.model.checkpoint;

import dev.headroom.model.error.Suggestion;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Modules that a setting names, by a path, a pattern over paths ({@code *} is part of a name, {@code **} any path), or
 * the name of their class. Several joined by {@code +} are one group; the others are a group each.
 */
public final class NamedModules {
    private final String setting;
    private final Graph graph;

    private NamedModules(String setting, Graph graph) {
        this.setting = setting;
        this.graph = graph;
    }

    /**
     * Paths of each group, in the order of the texts; inner modules before those around them within each.
     *
     * @param setting whose value the texts are
     * @throws UserInputException for a text that names no module
     */
    public static List<List<String>> groups(String setting, Graph graph, String text) {
        NamedModules named = new NamedModules(setting, graph);
        if (text.indexOf('+') < 0) {
            return named.find(text).stream().map(List::of).toList();
        }
        List<String> together = new ArrayList<>();
        for (String part : text.split("\\+")) {
            together.addAll(named.find(part));
        }
        return List.of(List.copyOf(together));
    }

    private List<String> find(String text) {
        Predicate<String> fits = ModulePatterns.fits(text);
        Set<String> found = new LinkedHashSet<>(RepeatedBlocks.ofClass(graph, text::equals));
        graph.held().modules().stream().filter(fits).forEach(found::add);
        if (found.isEmpty()) {
            throw new UserInputException("`" + setting + "`: no module is called or of the class '" + text + "'"
                    + Suggestion.of(text, Set.copyOf(graph.held().modules())) + "; `layers` lists the modules");
        }
        return RepeatedBlocks.paths(graph, found);
    }
}
