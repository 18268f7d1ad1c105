package dev.headroom.model.importer;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Graph.SymbolRange;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.scenario.Mention;
import dev.headroom.model.scenario.ModelSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.Setting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipFile;

/**
 * Reads archives of {@code torch.export.save}: the graph and the description of the weights, never the weights.
 *
 * <p>Source: torch/_export/serde/schema.py and torch/export/pt2_archive/_package.py of PyTorch 2.14.1.
 */
public final class Pt2Importer implements Importer {
    @Override
    public String format() {
        return "torch.export archives (.pt2)";
    }

    @Override
    public boolean accepts(Path file) {
        if (String.valueOf(file.getFileName()).endsWith(".pt2")) {
            return true;
        }
        try (ZipFile zip = new ZipFile(file.toFile())) {
            return Pt2Archive.looksLikeProgram(zip);
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }

    @Override
    public Graph read(Path file) {
        try (Pt2Archive archive = Pt2Archive.open(file)) {
            ProgramReader.Program[] program = {null};
            try {
                archive.program(json -> program[0] = ProgramReader.read(json, name(file)));
            } catch (UserInputException e) {
                archive.program(ProgramReader::readVersionOnly);
                throw e;
            }
            return assemble(file, archive, program[0]);
        } catch (IOException e) {
            throw new UserInputException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** An archive has decided what a model from a {@code config.json} leaves to the run. */
    @Override
    public Graph read(Path file, Scenario scenario) {
        for (Setting<?> setting : ModelSettings.ofConfigs()) {
            if (!setting.isDefault(scenario)) {
                throw new UserInputException(new Mention(setting.key(), null)
                        + " is for models from a config.json; an archive has what it was exported with");
            }
        }
        if (scenario.kernels().attention() == Scenario.Attention.EAGER) {
            throw new UserInputException("`attention=eager` is for models from a config.json; export the model with"
                    + " attn_implementation=\"eager\"");
        }
        Graph graph = read(file);
        if (scenario.model().seq() != null && !graph.symbols().containsKey("seq")) {
            throw new UserInputException("`seq`: the archive has no open size of that name; pass `dims=INPUT.1=N`");
        }
        return graph;
    }

    private static String name(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.endsWith(".pt2") ? name.substring(0, name.length() - ".pt2".length()) : name;
    }

    private static Graph assemble(Path file, Pt2Archive archive, ProgramReader.Program program) {
        Map<String, StateReader.Payload> weights = new LinkedHashMap<>();
        Map<String, StateReader.Payload> constants = new LinkedHashMap<>();
        archive.weights(json -> weights.putAll(StateReader.read(json)));
        archive.constants(json -> constants.putAll(StateReader.read(json)));
        try {
            Graph bare = program.graph();
            List<Node> nodes = GraphResolver.resolve(bare, Map.of());
            Map<String, SymbolRange> symbols = symbols(bare, program.ranges());
            Graph resolved = withState(bare, program, nodes, symbols, new ModelState(List.of(""), Map.of(), List.of()));
            GraphCheck.check(resolved);
            ModelState held = StateAssembler.assemble(
                    resolved, program.modules(), program.signature().notes(), weights, constants, archive::weightBytes);
            return withState(bare, program, nodes, symbols, held);
        } catch (UserInputException e) {
            throw new UserInputException(file + ": " + e.getMessage(), e);
        }
    }

    private static Graph withState(
            Graph bare,
            ProgramReader.Program program,
            List<Node> nodes,
            Map<String, SymbolRange> symbols,
            ModelState held) {
        List<String> state = new ArrayList<>();
        held.tensors().forEach((name, tensor) -> {
            if (tensor.persistent()) {
                state.add(name);
            }
        });
        return new Graph(
                bare.name(),
                List.copyOf(program.signature().inputs()),
                nodes,
                List.copyOf(program.signature().outputs()),
                Collections.unmodifiableMap(bare.values()),
                Collections.unmodifiableMap(bare.ints()),
                symbols,
                List.copyOf(state),
                held);
    }

    /** Symbols that sizes mention but no constraint does are free: any natural number. */
    private static Map<String, SymbolRange> symbols(Graph graph, Map<String, SymbolRange> ranges) {
        Map<String, SymbolRange> symbols = new LinkedHashMap<>(ranges);
        for (TensorMeta meta : graph.values().values()) {
            for (SymExpr size : meta.sizes()) {
                size.forEachSymbol(name -> symbols.putIfAbsent(name, new SymbolRange(0, Long.MAX_VALUE, null)));
            }
        }
        return Collections.unmodifiableMap(symbols);
    }
}
