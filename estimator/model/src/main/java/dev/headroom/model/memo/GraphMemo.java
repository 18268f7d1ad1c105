package dev.headroom.model.memo;

import dev.headroom.model.graph.Graph;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is read off a graph once, however often it runs: a sweep, an advice or a service play the same graph thousands
 * of times, and to read its lines of Python takes as long as to play them. A graph is known by identity, as it never
 * changes; what was read goes with it. Safe for use by several threads.
 */
public final class GraphMemo<T> {
    private final Function<Graph, T> reading;
    private final Map<Key, T> known = new ConcurrentHashMap<>();
    private final ReferenceQueue<Graph> gone = new ReferenceQueue<>();

    /** @param reading whose result holds on to parts of the graph at most, never to the graph */
    public GraphMemo(Function<Graph, T> reading) {
        this.reading = reading;
    }

    public T of(Graph graph) {
        for (Reference<? extends Graph> r = gone.poll(); r != null; r = gone.poll()) {
            known.remove(r);
        }
        T there = known.get(new Key(graph, null));
        if (there == null) {
            there = reading.apply(graph);
            known.put(new Key(graph, gone), there);
        }
        return there;
    }

    private static final class Key extends WeakReference<Graph> {
        private final int hash;

        Key(Graph graph, @Nullable ReferenceQueue<Graph> queue) {
            super(graph, queue);
            hash = System.identityHashCode(graph);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // the very graph: to compare two takes as long as to read one
        public boolean equals(@Nullable Object other) {
            if (this == other) {
                return true;
            }
            Graph graph = get();
            return graph != null && other instanceof Key key && key.get() == graph;
        }
    }
}
