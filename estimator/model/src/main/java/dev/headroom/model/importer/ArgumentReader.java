package dev.headroom.model.importer;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.MemoryFormat;
import dev.headroom.model.graph.SymExpr;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the argument unions of torch/_export/serde/schema.py. */
final class ArgumentReader {
    private final Json json;
    private final GraphReader graphs;

    ArgumentReader(Json json, GraphReader graphs) {
        this.json = json;
        this.graphs = graphs;
    }

    /** Reads an {@code Argument}; a kind that this version does not know becomes {@link Argument.Other}. */
    Argument argument() throws IOException {
        int scope = json.union();
        Argument argument = of(json.name());
        json.endUnion(scope);
        return argument;
    }

    private Argument of(String kind) throws IOException {
        return switch (kind) {
            case "as_none" -> new Argument.None();
            case "as_tensor" -> new Argument.Value(tensorName());
            case "as_optional_tensor" -> optional();
            case "as_tensors", "as_optional_tensors" -> new Argument.Values(tensorNames());
            case "as_nested_tensors" -> new Argument.Values(nestedTensorNames());
            case "as_int" -> new Argument.Int(SymExpr.of(json.integer()));
            case "as_sym_int" -> new Argument.Int(symbolic());
            case "as_ints", "as_sym_ints" -> new Argument.Ints(integers());
            case "as_float" -> new Argument.Float(json.real());
            case "as_floats" -> new Argument.Floats(reals());
            case "as_bool" -> new Argument.Bool(json.bool());
            case "as_bools" -> new Argument.Bools(bools());
            case "as_string" -> new Argument.Text(json.string());
            case "as_operator" -> new Argument.Other(kind, json.string());
            case "as_scalar_type" -> type(kind);
            case "as_memory_format" -> format(kind);
            case "as_device" -> new Argument.Device(device());
            case "as_graph" -> graph();
            case "as_sym_bool", "as_sym_float" -> symbolicScalar(kind);
            default -> new Argument.Other(kind, "");
        };
    }

    /** Reads {@code {"name": ...}}. */
    String tensorName() throws IOException {
        String name = "";
        for (int scope = json.object(); json.nextField(scope); ) {
            if (json.name().equals("name")) {
                name = json.string();
            }
        }
        if (name.isEmpty()) {
            throw new UserInputException("a tensor without a name");
        }
        return name;
    }

    private Argument optional() throws IOException {
        String name = optionalName();
        return name == null ? new Argument.None() : new Argument.Value(name);
    }

    /**
     * A tensor's name or {@code null}; the element is {@code {"name"}}, {@code {"as_tensor"}} or {@code {"as_none"}}.
     */
    private @Nullable String optionalName() throws IOException {
        String name = "";
        for (int scope = json.object(); json.nextField(scope); ) {
            switch (json.name()) {
                case "as_none" -> name = null;
                case "as_tensor" -> name = tensorName();
                case "name" -> name = json.string();
                default -> {}
            }
        }
        if (name != null && name.isEmpty()) {
            throw new UserInputException("a tensor without a name");
        }
        return name;
    }

    private List<String> tensorNames() throws IOException {
        List<String> names = new ArrayList<>();
        for (int scope = json.array(); json.nextItem(scope); ) {
            names.add(optionalName());
        }
        return names;
    }

    private List<String> nestedTensorNames() throws IOException {
        List<String> names = new ArrayList<>();
        for (int scope = json.array(); json.nextItem(scope); ) {
            names.addAll(tensorNames());
        }
        return names;
    }

    /** An element of an integer list: a number or {@code {"as_int"}} or {@code {"as_name"}}. */
    private SymExpr symbolic() throws IOException {
        if (!json.isObject()) {
            return SymExpr.of(json.integer());
        }
        int scope = json.union();
        SymExpr value =
                switch (json.name()) {
                    case "as_int" -> SymExpr.of(json.integer());
                    case "as_name" -> new NamedInt(json.string());
                    default ->
                        throw new UserInputException(
                                "an integer of kind " + json.name() + " is not known to this version");
                };
        json.endUnion(scope);
        return value;
    }

    private List<SymExpr> integers() throws IOException {
        List<SymExpr> values = new ArrayList<>();
        for (int scope = json.array(); json.nextItem(scope); ) {
            values.add(symbolic());
        }
        return values;
    }

    private List<Double> reals() throws IOException {
        List<Double> values = new ArrayList<>();
        for (int scope = json.array(); json.nextItem(scope); ) {
            values.add(json.real());
        }
        return values;
    }

    private List<Boolean> bools() throws IOException {
        List<Boolean> values = new ArrayList<>();
        for (int scope = json.array(); json.nextItem(scope); ) {
            values.add(json.bool());
        }
        return values;
    }

    /** A symbolic truth value or fraction: carries no memory, so its name suffices. */
    private Argument symbolicScalar(String kind) throws IOException {
        int scope = json.union();
        Argument value =
                switch (json.name()) {
                    case "as_bool" -> new Argument.Bool(json.bool());
                    case "as_float" -> new Argument.Float(json.real());
                    case "as_name" -> new Argument.Other(kind, json.string());
                    default -> new Argument.Other(kind, json.name());
                };
        json.endUnion(scope);
        return value;
    }

    private Argument type(String kind) throws IOException {
        int code = json.code();
        DType type = MetaReader.dtype(code);
        return type == null ? new Argument.Other(kind, Integer.toString(code)) : new Argument.Type(type);
    }

    private Argument format(String kind) throws IOException {
        int code = json.code();
        return switch (code) {
            case 1 -> new Argument.Format(MemoryFormat.CONTIGUOUS);
            case 2 -> new Argument.Format(MemoryFormat.CHANNELS_LAST);
            case 3 -> new Argument.Format(MemoryFormat.CHANNELS_LAST_3D);
            case 4 -> new Argument.Format(MemoryFormat.PRESERVE);
            default -> new Argument.Other(kind, Integer.toString(code));
        };
    }

    private String device() throws IOException {
        String type = "";
        String index = "";
        for (int scope = json.object(); json.nextField(scope); ) {
            if (json.name().equals("type")) {
                type = json.string();
            } else if (json.name().equals("index") && !json.isNull()) {
                index = ":" + json.integer();
            }
        }
        return type.concat(index);
    }

    private Argument graph() throws IOException {
        String name = "";
        Graph graph = null;
        for (int scope = json.object(); json.nextField(scope); ) {
            if (json.name().equals("name")) {
                name = json.string();
            } else if (json.name().equals("graph")) {
                graph = graphs.read(name);
            }
        }
        if (graph == null) {
            throw new UserInputException("a subgraph argument without a graph");
        }
        return new Argument.Subgraph(name, graph);
    }
}
