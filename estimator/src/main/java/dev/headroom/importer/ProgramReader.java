package dev.headroom.importer;

import dev.headroom.graph.Graph;
import dev.headroom.graph.Graph.SymbolRange;
import dev.headroom.graph.GraphException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads {@code ExportedProgram} of torch/_export/serde/schema.py, schema 8. */
final class ProgramReader {
    private static final int SCHEMA = 8;

    private final Json json;
    private final MetaReader metas;
    private final GraphReader graphs;
    private Graph graph;
    private Signature signature;
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
        json.object(field -> {
            switch (field) {
                case "graph_module" -> reader.graphModule(name);
                case "range_constraints" -> json.object(reader::range);
                case "schema_version" -> checkVersion(json);
                default -> {}
            }
        });
        if (reader.graph == null || reader.signature == null) {
            throw new GraphException("not an exported program: it has no graph or no signature");
        }
        return new Program(reader.graph, reader.signature, reader.modules, reader.hinted());
    }

    /** Reads nothing but the version: a stranger's schema must be named as such, whatever else looks wrong. */
    static void readVersionOnly(Json json) throws IOException {
        json.object(field -> {
            if (field.equals("schema_version")) {
                checkVersion(json);
            }
        });
    }

    private static void checkVersion(Json json) throws IOException {
        long[] major = {-1};
        json.object(field -> {
            if (field.equals("major")) {
                major[0] = json.integer();
            }
        });
        if (major[0] != SCHEMA) {
            throw new GraphException("export schema " + major[0] + " is not supported; this version reads schema " + SCHEMA
                    + " (PyTorch 2.5 and newer): export again with a matching PyTorch");
        }
    }

    private void graphModule(String name) throws IOException {
        json.object(field -> {
            switch (field) {
                case "graph" -> graph = graphs.read(name);
                case "signature" -> signature = Signature.read(json, graphs.arguments());
                case "module_call_graph" -> json.array(this::module);
                default -> {}
            }
        });
    }

    private void module() throws IOException {
        json.object(field -> {
            if (field.equals("fqn")) {
                modules.add(json.string());
            }
        });
    }

    private void range(String symbol) throws IOException {
        long[] limits = {Long.MIN_VALUE, Long.MAX_VALUE};
        json.object(field -> {
            if (field.equals("min_val") && !json.isNull()) {
                limits[0] = json.integer();
            } else if (field.equals("max_val") && !json.isNull()) {
                limits[1] = json.integer();
            }
        });
        ranges.put(symbol, new SymbolRange(limits[0], limits[1], null));
    }

    private Map<String, SymbolRange> hinted() {
        Map<String, SymbolRange> hinted = new LinkedHashMap<>();
        ranges.forEach((symbol, range) ->
                hinted.put(symbol, new SymbolRange(range.min(), range.max(), metas.hints().get(symbol))));
        return hinted;
    }
}
