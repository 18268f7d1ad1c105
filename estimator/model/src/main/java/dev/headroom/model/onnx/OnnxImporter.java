package dev.headroom.model.onnx;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.SymExprParser;
import dev.headroom.model.importer.Importer;
import dev.headroom.model.onnx.file.OnnxFile;
import dev.headroom.model.onnx.file.OnnxReader;
import dev.headroom.model.onnx.op.GraphWriter;
import dev.headroom.model.onnx.op.OperatorTable;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads ONNX files: weights are sizes, operators become ATen's, open sizes stay open. */
public final class OnnxImporter implements Importer {
    private static final String TRACE = "pkg.torch.onnx.stack_trace";

    @Override
    public String format() {
        return "ONNX models (.onnx)";
    }

    @Override
    public boolean accepts(Path file) {
        return file.toString().toLowerCase(Locale.ROOT).endsWith(".onnx");
    }

    @Override
    public Graph read(Path file) {
        OnnxFile content = OnnxReader.read(file);
        String name = String.valueOf(file.getFileName());
        try {
            return new Reading(content, name.substring(0, name.length() - ".onnx".length())).graph();
        } catch (UserInputException e) {
            throw new UserInputException(file + ": " + e.getMessage(), e);
        } catch (ArithmeticException | IndexOutOfBoundsException e) {
            throw new UserInputException(
                    file + ": its sizes, inputs or outputs do not fit together; export the model again", e);
        }
    }

    /** Such a graph does not say what is trained. */
    @Override
    public Graph read(Path file, Scenario scenario) {
        if (!scenario.loop().inference()) {
            throw new UserInputException(
                    file + " is a graph without training: pass `inference`, or export the model with torch.export");
        }
        return read(file);
    }

    /** One file. */
    private static final class Reading {
        private final OnnxFile file;
        private final String name;
        private final GraphWriter writer = new GraphWriter();
        private final List<Graph.Input> inputs = new ArrayList<>();
        private final Map<String, Graph.SymbolRange> symbols = new LinkedHashMap<>();

        Reading(OnnxFile file, String name) {
            this.file = file;
            this.name = name;
        }

        Graph graph() {
            file.initializers().values().forEach(writer::weight);
            file.inputs().stream()
                    .filter(input -> !file.initializers().containsKey(input.name()))
                    .forEach(this::input);
            ModulePaths modules = new ModulePaths();
            for (OnnxFile.Operation node : LinearLayers.restored(file)) {
                writer.at(modules.of(node), node.metadata().getOrDefault(TRACE, ""));
                write(node);
            }
            List<Graph.Output> outputs = new ArrayList<>();
            for (String output : file.outputs()) {
                outputs.add(new Graph.Output(
                        Graph.OutputKind.USER, writer.tensor(output).name(), output));
            }
            List<Graph.Input> all = new ArrayList<>(writer.weights());
            all.addAll(inputs);
            return new Graph(
                    name,
                    all,
                    List.copyOf(writer.nodes()),
                    outputs,
                    Map.copyOf(writer.metas()),
                    Map.of(),
                    symbols,
                    writer.weights().stream().map(Graph.Input::qualifiedName).toList());
        }

        private void write(OnnxFile.Operation node) {
            try {
                OperatorTable.write(writer, node, file, this::said);
            } catch (ArithmeticException | IndexOutOfBoundsException | IllegalArgumentException e) {
                throw new UserInputException(
                        "a node of " + node.type()
                                + " has inputs or attributes that do not fit together; export the model again",
                        e);
            }
        }

        private void input(OnnxFile.Described input) {
            if (input.sizes() == null) {
                throw new UserInputException("the input " + input.name()
                        + " is no tensor of a known number of dimensions; export the model again with a sample");
            }
            List<SymExpr> sizes = new ArrayList<>();
            for (int i = 0; i < input.sizes().size(); i++) {
                OnnxFile.Size size = input.sizes().get(i);
                SymExpr given = size.number() >= 0 ? SymExpr.of(size.number()) : parsed(size.name());
                sizes.add(given != null ? given : SymExpr.symbol(input.name() + "_" + i));
            }
            for (SymExpr size : sizes) {
                size.forEachSymbol(s -> symbols.putIfAbsent(s, new Graph.SymbolRange(1, Long.MAX_VALUE, null)));
            }
            writer.input(input.name(), input.type(), sizes);
            inputs.add(new Graph.Input(Graph.InputKind.USER, input.name(), input.name(), false));
        }

        private static @Nullable SymExpr parsed(String text) {
            try {
                return text.isEmpty() ? null : SymExprParser.parse(text);
            } catch (UserInputException e) {
                return null;
            }
        }

        /** Sizes that the file says of a value, if they depend on nothing but those of the inputs. */
        private @Nullable List<SymExpr> said(String value) {
            OnnxFile.Described described = file.described().get(value);
            if (described == null || described.sizes() == null) {
                return null;
            }
            List<SymExpr> sizes = new ArrayList<>();
            Set<String> used = new LinkedHashSet<>();
            for (OnnxFile.Size size : described.sizes()) {
                SymExpr given = size.number() >= 0 ? SymExpr.of(size.number()) : parsed(size.name());
                if (given == null) {
                    return null;
                }
                given.forEachSymbol(used::add);
                sizes.add(given);
            }
            return symbols.keySet().containsAll(used) ? sizes : null;
        }
    }
}
