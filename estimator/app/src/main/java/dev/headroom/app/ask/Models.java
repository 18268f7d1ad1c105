package dev.headroom.app.ask;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads models, and keeps the graphs that were asked for last. From several threads; whoever asks for a graph that is
 * being read waits for it.
 */
public final class Models {
    private static final int KEPT = 64;
    private static final Scenario DEFAULTS = Scenario.defaults();

    private record Key(Path model, Scenario scenario) {}

    private final BiFunction<Path, Scenario, Graph> reader;
    private final Map<Key, CompletableFuture<Graph>> graphs = new LinkedHashMap<>(16, 0.75f, true);

    /** Reads files. */
    public Models() {
        this(Importers::read);
    }

    /** @param reader of a model that a scenario runs */
    public Models(BiFunction<Path, Scenario, Graph> reader) {
        this.reader = reader;
    }

    /**
     * The graph of a model.
     *
     * @throws dev.headroom.model.error.UserInputException if it cannot be read
     */
    public Graph graph(Path model, Scenario asked) {
        // No importer looks at the card, at --batch and --dim or at the optimizer: graphs have symbols for sizes.
        Scenario shared = asked.withDevice(asked.device().unknown())
                .withSizes(DEFAULTS.sizes())
                .withOptimizer(DEFAULTS.optimizer());
        Key key = new Key(model, shared);
        CompletableFuture<Graph> mine = new CompletableFuture<>();
        CompletableFuture<Graph> known = remember(key, mine);
        if (known == null) {
            read(key, asked, mine);
            known = mine;
        }
        try {
            return known.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException why) {
                throw why;
            }
            if (e.getCause() instanceof Error why) {
                throw why;
            }
            throw e;
        } catch (CancellationException e) {
            if (known != mine && !Thread.currentThread().isInterrupted()) {
                return graph(model, asked); // who began to read it for both was stopped
            }
            throw e;
        }
    }

    private void read(Key key, Scenario asked, CompletableFuture<Graph> mine) {
        try {
            mine.complete(reader.apply(key.model(), asked));
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            forget(key); // a file may be mended
            mine.completeExceptionally(e);
        }
    }

    private synchronized @Nullable CompletableFuture<Graph> remember(Key key, CompletableFuture<Graph> mine) {
        CompletableFuture<Graph> known = graphs.putIfAbsent(key, mine);
        if (graphs.size() > KEPT) {
            graphs.remove(graphs.keySet().iterator().next());
        }
        return known;
    }

    private synchronized void forget(Key key) {
        graphs.remove(key);
    }
}
