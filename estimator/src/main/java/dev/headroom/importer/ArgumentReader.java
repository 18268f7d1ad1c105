package dev.headroom.importer;

import dev.headroom.graph.Argument;
import dev.headroom.graph.DType;
import dev.headroom.graph.GraphException;
import dev.headroom.graph.MemoryFormat;
import dev.headroom.graph.SymExpr;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

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
        Argument[] result = {null};
        json.union(kind -> result[0] = of(kind));
        return result[0];
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
        String[] result = {null};
        json.object(field -> {
            if (field.equals("name")) {
                result[0] = json.string();
            }
        });
        if (result[0] == null || result[0].isEmpty()) {
            throw new GraphException("a tensor without a name");
        }
        return result[0];
    }

    private Argument optional() throws IOException {
        String name = optionalName();
        return name == null ? new Argument.None() : new Argument.Value(name);
    }

    /** A tensor's name or {@code null}; the element is {@code {"name"}}, {@code {"as_tensor"}} or {@code {"as_none"}}. */
    private String optionalName() throws IOException {
        String[] result = {null};
        boolean[] known = {false};
        json.object(field -> {
            switch (field) {
                case "as_none" -> known[0] = true;
                case "as_tensor" -> {
                    known[0] = true;
                    result[0] = tensorName();
                }
                case "name" -> {
                    known[0] = true;
                    result[0] = json.string();
                }
                default -> {}
            }
        });
        if (!known[0]) {
            throw new GraphException("a tensor without a name");
        }
        return result[0];
    }

    private List<String> tensorNames() throws IOException {
        List<String> names = new ArrayList<>();
        json.array(() -> names.add(optionalName()));
        return names;
    }

    private List<String> nestedTensorNames() throws IOException {
        List<String> names = new ArrayList<>();
        json.array(() -> json.array(() -> names.add(optionalName())));
        return names;
    }

    /** An element of an integer list: a number or {@code {"as_int"}} or {@code {"as_name"}}. */
    private SymExpr symbolic() throws IOException {
        if (!json.isObject()) {
            return SymExpr.of(json.integer());
        }
        SymExpr[] result = {null};
        json.union(kind -> {
            switch (kind) {
                case "as_int" -> result[0] = SymExpr.of(json.integer());
                case "as_name" -> result[0] = new NamedInt(json.string());
                default -> throw new GraphException("an integer of kind " + kind + " is not known to this version");
            }
        });
        return result[0];
    }

    private List<SymExpr> integers() throws IOException {
        List<SymExpr> values = new ArrayList<>();
        json.array(() -> values.add(symbolic()));
        return values;
    }

    private List<Double> reals() throws IOException {
        List<Double> values = new ArrayList<>();
        json.array(() -> values.add(json.real()));
        return values;
    }

    private List<Boolean> bools() throws IOException {
        List<Boolean> values = new ArrayList<>();
        json.array(() -> values.add(json.bool()));
        return values;
    }

    /** A symbolic truth value or fraction: carries no memory, so its name suffices. */
    private Argument symbolicScalar(String kind) throws IOException {
        Argument[] result = {null};
        json.union(field -> result[0] = switch (field) {
            case "as_bool" -> new Argument.Bool(json.bool());
            case "as_float" -> new Argument.Float(json.real());
            case "as_name" -> new Argument.Other(kind, json.string());
            default -> new Argument.Other(kind, field);
        });
        return result[0];
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
        String[] type = {""};
        String[] index = {""};
        json.object(field -> {
            if (field.equals("type")) {
                type[0] = json.string();
            } else if (field.equals("index") && !json.isNull()) {
                index[0] = ":" + json.integer();
            }
        });
        return type[0] + index[0];
    }

    private Argument graph() throws IOException {
        String[] name = {""};
        Argument.Subgraph[] result = {null};
        json.object(field -> {
            if (field.equals("name")) {
                name[0] = json.string();
            } else if (field.equals("graph")) {
                result[0] = new Argument.Subgraph(name[0], graphs.read(name[0]));
            }
        });
        if (result[0] == null) {
            throw new GraphException("a subgraph argument without a graph");
        }
        return new Argument.Subgraph(name[0], result[0].graph());
    }
}
