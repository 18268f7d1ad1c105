package dev.headroom.model.importer;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Graph.SymbolRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code ExportedProgram} of torch/_export/serde/schema.py, schema 8. */
final class ProgramReader {
    private static final int SCHEMA = 8;

    private final Json json;
    private final MetaReader metas;
    private final GraphReader graphs;
    private @Nullable Graph graph;
    private @Nullable Signature signature;
    private final List<String> modules = new ArrayList<>();
    private final Map<String, SymbolRange> ranges = new LinkedHashMap<>();

    private ProgramReader(Json json) {
        this.json = json;
        this.metas = new MetaReader(json);
        this.graphs = new GraphReader(json, metas);
    }

    /**
     * What the JSON says, integers of arguments still unresolved.
     *
     * @param modules the module call graph's names
     * @param ranges of the symbols, with their values at export
     */
    record Program(Graph graph, Signature signature, List<String> modules, Map<String, SymbolRange> ranges) {}

    static Program read(Json json, String name) throws IOException {
        ProgramReader reader = new ProgramReader(json);
        for (int scope = json.object(); json.nextField(scope); ) {
            switch (json.name()) {
                case "graph_module" -> reader.graphModule(name);
                case "range_constraints" -> reader.ranges();
                case "schema_version" -> checkVersion(json);
                default -> {}
            }
        }
        if (reader.graph == null || reader.signature == null) {
            throw new UserInputException("not an exported program: it has no graph or no signature");
        }
        Graph graph = reader.metas.devices().equals(Set.of("cpu")) ? OwnDevice.of(reader.graph) : reader.graph;
        return new Program(graph, reader.signature, reader.modules, reader.hinted());
    }

    /** Reads nothing but the version: a stranger's schema must be named as such, whatever else looks wrong. */
    static void readVersionOnly(Json json) throws IOException {
        for (int scope = json.object(); json.nextField(scope); ) {
            if (json.name().equals("schema_version")) {
                checkVersion(json);
            }
        }
    }

    private static void checkVersion(Json json) throws IOException {
        long major = -1;
        for (int scope = json.object(); json.nextField(scope); ) {
            if (json.name().equals("major")) {
                major = json.integer();
            }
        }
        if (major != SCHEMA) {
            throw new UserInputException("export schema " + major + " is not supported; this version reads schema "
                    + SCHEMA + ": export again with another PyTorch");
        }
    }

    private void graphModule(String name) throws IOException {
        for (int scope = json.object(); json.nextField(scope); ) {
            switch (json.name()) {
                case "graph" -> graph = graphs.read(name);
                case "signature" -> signature = Signature.read(json, graphs.arguments());
                case "module_call_graph" -> modules();
                default -> {}
            }
        }
    }

    private void modules() throws IOException {
        for (int list = json.array(); json.nextItem(list); ) {
            for (int scope = json.object(); json.nextField(scope); ) {
                if (json.name().equals("fqn")) {
                    modules.add(json.string());
                }
            }
        }
    }

    private void ranges() throws IOException {
        for (int table = json.object(); json.nextField(table); ) {
            String symbol = json.name();
            long min = Long.MIN_VALUE;
            long max = Long.MAX_VALUE;
            for (int scope = json.object(); json.nextField(scope); ) {
                if (json.name().equals("min_val") && !json.isNull()) {
                    min = json.integer();
                } else if (json.name().equals("max_val") && !json.isNull()) {
                    max = json.integer();
                }
            }
            ranges.put(symbol, new SymbolRange(min, max, null));
        }
    }

    private Map<String, SymbolRange> hinted() {
        Map<String, SymbolRange> hinted = new LinkedHashMap<>();
        ranges.forEach((symbol, range) -> hinted.put(
                symbol, new SymbolRange(range.min(), range.max(), metas.hints().get(symbol))));
        return hinted;
    }
}
