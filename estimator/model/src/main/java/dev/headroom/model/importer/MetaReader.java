package dev.headroom.model.importer;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.SymExprParser;
import dev.headroom.model.graph.TensorMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads sizes, element types and tensor descriptions, each expression once. */
final class MetaReader {
    private static final int STRIDED = 7;
    private static final int MOST_DIMENSIONS = 64;

    private final Json json;
    private final Map<String, SymExpr> expressions = new HashMap<>();
    private final Map<String, Long> hints = new LinkedHashMap<>();
    private final Set<String> devices = new HashSet<>();
    private String device = "";

    MetaReader(Json json) {
        this.json = json;
    }

    /** Values that symbols had at export. */
    Map<String, Long> hints() {
        return hints;
    }

    /** The type of a code of schema.py's {@code ScalarType}, or {@code null} if there is none. */
    static @Nullable DType dtype(int code) {
        return switch (code) {
            case 1 -> DType.UINT8;
            case 2 -> DType.INT8;
            case 3 -> DType.INT16;
            case 4 -> DType.INT32;
            case 5 -> DType.INT64;
            case 6 -> DType.FLOAT16;
            case 7 -> DType.FLOAT32;
            case 8 -> DType.FLOAT64;
            case 9 -> DType.COMPLEX32;
            case 10 -> DType.COMPLEX64;
            case 11 -> DType.COMPLEX128;
            case 12 -> DType.BOOL;
            case 13 -> DType.BFLOAT16;
            case 28 -> DType.UINT16;
            case 29 -> DType.FLOAT8_E4M3FN;
            case 30 -> DType.FLOAT8_E5M2;
            case 31 -> DType.FLOAT8_E4M3FNUZ;
            case 32 -> DType.FLOAT8_E5M2FNUZ;
            case 33 -> DType.FLOAT8_E8M0FNU;
            case 34 -> DType.UINT32;
            case 35 -> DType.UINT64;
            default -> null;
        };
    }

    /** Types of the devices that tensors are on, such as {@code meta}. */
    Set<String> devices() {
        return devices;
    }

    /** Whether the tensor that was read last is in host memory. */
    boolean wasOnHost() {
        return device.equals("cpu");
    }

    private String device() throws IOException {
        String type = "";
        for (int scope = json.object(); json.nextField(scope); ) {
            if (json.name().equals("type")) {
                type = json.string();
            }
        }
        return type;
    }

    /** Reads a {@code TensorMeta}. */
    TensorMeta tensor() throws IOException {
        Fields fields = new Fields();
        device = "";
        for (int scope = json.object(); json.nextField(scope); ) {
            switch (json.name()) {
                case "dtype" -> fields.dtype = json.code();
                case "sizes" -> fields.sizes = sizes();
                case "strides" -> fields.strides = sizes();
                case "storage_offset" -> fields.offset = size();
                case "requires_grad" -> fields.requiresGrad = json.bool();
                case "layout" -> fields.layout = json.code();
                case "device" -> {
                    device = device();
                    devices.add(device);
                }
                default -> {}
            }
        }
        return fields.meta();
    }

    private static final class Fields {
        private int dtype = -1;
        private int layout = STRIDED;
        private @Nullable List<SymExpr> sizes;
        private @Nullable List<SymExpr> strides;
        private SymExpr offset = SymExpr.of(0);
        private boolean requiresGrad;

        TensorMeta meta() {
            DType type = dtype(dtype);
            if (type == null) {
                throw new UserInputException("element type " + dtype + " is not known to this version");
            }
            if (layout != STRIDED) {
                throw new UserInputException("tensor layout " + layout
                        + " (sparse or packed) is not supported; only strided" + " tensors are");
            }
            if (sizes == null || strides == null) {
                throw new UserInputException("a tensor description lacks its sizes or strides");
            }
            if (sizes.size() != strides.size()) {
                throw new UserInputException(sizes.size() + " sizes but " + strides.size() + " strides");
            }
            return new TensorMeta(type, sizes, strides, offset, requiresGrad);
        }
    }

    private List<SymExpr> sizes() throws IOException {
        List<SymExpr> sizes = new ArrayList<>();
        for (int scope = json.array(); json.nextItem(scope); ) {
            SymExpr size = size();
            if (size instanceof SymExpr.Constant constant && constant.value() < 0) {
                throw new UserInputException("a size or stride of " + constant.value() + " is negative");
            }
            if (sizes.size() == MOST_DIMENSIONS) {
                throw new UserInputException("a tensor has at most " + MOST_DIMENSIONS + " dimensions");
            }
            sizes.add(size);
        }
        return sizes;
    }

    /** Reads a {@code SymInt}. */
    SymExpr size() throws IOException {
        int scope = json.union();
        SymExpr size =
                switch (json.name()) {
                    case "as_int" -> SymExpr.of(json.integer());
                    case "as_expr" -> expression();
                    default ->
                        throw new UserInputException("a size of kind " + json.name() + " is not known to this version");
                };
        json.endUnion(scope);
        return size;
    }

    private SymExpr expression() throws IOException {
        String text = null;
        Long hint = null;
        for (int scope = json.object(); json.nextField(scope); ) {
            if (json.name().equals("expr_str")) {
                text = json.string();
            } else if (json.name().equals("hint") && json.isObject()) {
                hint = hint();
            }
        }
        if (text == null) {
            throw new UserInputException("an expression lacks its text (expr_str)");
        }
        SymExpr parsed = parse(text);
        if (hint != null && parsed instanceof SymExpr.Symbol symbol) {
            hints.putIfAbsent(symbol.name(), hint);
        }
        return parsed;
    }

    private @Nullable Long hint() throws IOException {
        Long hint = null;
        for (int scope = json.object(); json.nextField(scope); ) {
            if (json.name().equals("as_int")) {
                hint = json.integer();
            }
        }
        return hint;
    }

    private SymExpr parse(String text) {
        SymExpr known = expressions.get(text);
        if (known == null) {
            known = SymExprParser.parse(text);
            expressions.put(text, known);
        }
        return known;
    }
}
