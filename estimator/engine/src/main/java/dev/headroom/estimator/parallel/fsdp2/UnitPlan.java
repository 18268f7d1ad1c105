package dev.headroom.estimator.parallel.fsdp2;

import dev.headroom.model.checkpoint.NamedModules;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.ShardingOptions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Modules that one call of {@code fully_shard} wraps.
 *
 * @param modules their paths
 * @param keeps whether they stay gathered after the forward pass ({@code reshard_after_forward=False})
 */
record UnitPlan(List<String> modules, boolean keeps) {
    /** Each a unit of its own that is divided again as the run asks. */
    static List<UnitPlan> each(List<String> modules) {
        return modules.stream().map(m -> new UnitPlan(List.of(m), false)).toList();
    }

    /**
     * What {@code wrap_modules} says, in its order.
     *
     * @throws UserInputException where a module lies in one that was wrapped before, whose parameters it would share
     */
    static List<UnitPlan> named(Graph graph, ShardingOptions options) {
        List<UnitPlan> out = new ArrayList<>();
        for (String text : options.wrapModules()) {
            boolean keeps = text.endsWith(ShardingOptions.KEEP);
            String names = keeps ? text.substring(0, text.length() - ShardingOptions.KEEP.length()) : text;
            for (List<String> group : NamedModules.groups("wrap_modules", graph, names)) {
                for (String module : group) {
                    out.forEach(before -> before.refuseAround(module));
                }
                out.add(new UnitPlan(group, keeps));
            }
        }
        return List.copyOf(out);
    }

    /** The part of it that a stage of a pipeline has. */
    UnitPlan within(Collection<String> stage) {
        return new UnitPlan(modules.stream().filter(stage::contains).toList(), keeps);
    }

    private void refuseAround(String module) {
        for (String outer : modules) {
            if (module.equals(outer) || module.startsWith(outer + ".")) {
                throw new UserInputException("`wrap_modules`: '" + module + "' lies in '" + outer
                        + "', which is wrapped before it; name inner modules first, and each once");
            }
        }
    }
}
