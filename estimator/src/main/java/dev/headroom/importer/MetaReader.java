package dev.headroom.importer;

import dev.headroom.graph.DType;
import dev.headroom.graph.GraphException;
import dev.headroom.graph.SymExpr;
import dev.headroom.graph.SymExprParser;
import dev.headroom.graph.TensorMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads sizes, element types and tensor descriptions, each expression once. */
final class MetaReader {
    private static final int STRIDED = 7;
    private static final int MOST_DIMENSIONS = 64;

    private final Json json;
    private final Map<String, SymExpr> expressions;
    private final Map<String, Long> hints;

    MetaReader(Json json) {
        this(json, new HashMap<>(), new LinkedHashMap<>());
    }

    private MetaReader(Json json, Map<String, SymExpr> expressions, Map<String, Long> hints) {
        this.json = json;
        this.expressions = expressions;
        this.hints = hints;
    }

    /** Values that symbols had at export. */
    Map<String, Long> hints() {
        return hints;
    }

    /** The type of a code of schema.py's {@code ScalarType}, or {@code null} if there is none. */
    static DType dtype(int code) {
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

    /** Reads a {@code TensorMeta}. */
    TensorMeta tensor() throws IOException {
        Fields fields = new Fields();
        json.object(name -> {
            switch (name) {
                case "dtype" -> fields.dtype = json.code();
                case "sizes" -> fields.sizes = sizes();
                case "strides" -> fields.strides = sizes();
                case "storage_offset" -> fields.offset = size();
                case "requires_grad" -> fields.requiresGrad = json.bool();
                case "layout" -> fields.layout = json.code();
                default -> {}
            }
        });
        return fields.meta();
    }

    private static final class Fields {
        private int dtype = -1;
        private int layout = STRIDED;
        private List<SymExpr> sizes;
        private List<SymExpr> strides;
        private SymExpr offset = SymExpr.of(0);
        private boolean requiresGrad;

        TensorMeta meta() {
            DType type = dtype(dtype);
            if (type == null) {
                throw new GraphException("element type " + dtype + " is not known to this version");
            }
            if (layout != STRIDED) {
                throw new GraphException("tensor layout " + layout + " (sparse or packed) is not supported; only strided"
                        + " tensors are");
            }
            if (sizes == null || strides == null) {
                throw new GraphException("a tensor description lacks its sizes or strides");
            }
            if (sizes.size() != strides.size()) {
                throw new GraphException(sizes.size() + " sizes but " + strides.size() + " strides");
            }
            return new TensorMeta(type, sizes, strides, offset, requiresGrad);
        }
    }

    private List<SymExpr> sizes() throws IOException {
        List<SymExpr> sizes = new ArrayList<>();
        json.array(() -> {
            SymExpr size = size();
            if (size instanceof SymExpr.Constant constant && constant.value() < 0) {
                throw new GraphException("a size or stride of " + constant.value() + " is negative");
            }
            if (sizes.size() == MOST_DIMENSIONS) {
                throw new GraphException("a tensor has at most " + MOST_DIMENSIONS + " dimensions");
            }
            sizes.add(size);
        });
        return sizes;
    }

    /** Reads a {@code SymInt}. */
    SymExpr size() throws IOException {
        SymExpr[] result = {null};
        json.union(kind -> {
            switch (kind) {
                case "as_int" -> result[0] = SymExpr.of(json.integer());
                case "as_expr" -> result[0] = expression();
                default -> throw new GraphException("a size of kind " + kind + " is not known to this version");
            }
        });
        return result[0];
    }

    private SymExpr expression() throws IOException {
        String[] text = {null};
        Long[] hint = {null};
        json.object(name -> {
            if (name.equals("expr_str")) {
                text[0] = json.string();
            } else if (name.equals("hint") && json.isObject()) {
                json.object(kind -> {
                    if (kind.equals("as_int")) {
                        hint[0] = json.integer();
                    }
                });
            }
        });
        if (text[0] == null) {
            throw new GraphException("an expression lacks its text (expr_str)");
        }
        SymExpr parsed = parse(text[0]);
        if (hint[0] != null && parsed instanceof SymExpr.Symbol symbol) {
            hints.putIfAbsent(symbol.name(), hint[0]);
        }
        return parsed;
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
