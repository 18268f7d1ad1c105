package dev.headroom.executor.program;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What a module returns that its caller does not read this time, as the state after the last turn of a loop: another
 * call of the same class from the same line returned the value that was made at the same place, and its caller read it.
 */
final class SiblingCalls {
    /** A place in the code of a class, called from a line. */
    private record Place(String type, SourceLine from, int node) {}

    private final CallTree tree;
    private final Set<Place> returned = new HashSet<>();

    private SiblingCalls(CallTree tree) {
        this.tree = tree;
    }

    /** Gives such values to the caller, who has bound them. */
    static void settle(CallTree tree, Map<String, Local> locals) {
        SiblingCalls calls = new SiblingCalls(tree);
        for (Local v : locals.values()) {
            Call.Site site = tree.callOf(v.made).site;
            if (site != null && v.owner() == site.parent()) {
                calls.returned.add(calls.place(v, site));
            }
        }
        for (Local v : locals.values()) {
            Call made = tree.callOf(v.made);
            Call.Site site = made.site;
            if (site != null
                    && v.owner() == made
                    && site.step().statement.line.names().size() > 1
                    && calls.returned.contains(calls.place(v, site))) {
                v.settleReturned(tree, site.parent());
            }
        }
    }

    private Place place(Local v, Call.Site site) {
        Call made = tree.callOf(v.made);
        int first = made.statements.get(0).first();
        return new Place(site.module().type(), site.step().statement.line, v.made - first);
    }
}
