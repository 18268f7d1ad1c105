package dev.headroom.model.run;

import dev.headroom.model.graph.Graph;
import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.List;

/**
 * Gives graphs that are equal as one object. What is read off a graph is remembered by its identity, and variants of a
 * run mostly come out of their passes with equal graphs, each made anew: to compare two is much quicker than to read
 * one again, because they share the nodes that no pass has changed. A few of the last ones are known, as long as memory
 * is not short. Safe for use by several threads.
 */
final class EqualGraphs {
    /** Advice goes to and fro between a few preparations of one graph. */
    private static final int MOST = 8;

    /** The last one that was asked for comes first. */
    private final List<SoftReference<Graph>> known = new ArrayList<>();

    /** The graph that was given first of those that equal it. */
    Graph one(Graph graph) {
        List<SoftReference<Graph>> all = known();
        for (SoftReference<Graph> reference : all) {
            if (reference.refersTo(graph)) { // no pass has changed anything
                remember(reference);
                return graph;
            }
        }
        for (SoftReference<Graph> reference : all) {
            Graph other = reference.get();
            if (other != null && other.nodes().size() == graph.nodes().size() && other.equals(graph)) {
                remember(reference);
                return other;
            }
        }
        remember(new SoftReference<>(graph));
        return graph;
    }

    private synchronized List<SoftReference<Graph>> known() {
        return List.copyOf(known);
    }

    private synchronized void remember(SoftReference<Graph> reference) {
        known.remove(reference);
        known.add(0, reference);
        if (known.size() > MOST) {
            known.remove(MOST);
        }
    }
}
