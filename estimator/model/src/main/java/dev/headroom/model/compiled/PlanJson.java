package dev.headroom.model.compiled;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.SymExprParser;
import dev.headroom.model.graph.TensorMeta;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values of a plan's JSON, with messages that say where they stand. */
final class PlanJson {
    private static final int MOST_DIMENSIONS = 64;
    private static final double MOST_ELEMENTS = 1L << 50;
    private static final Map<String, DType> TYPES = new HashMap<>();

    static {
        Arrays.stream(DType.values()).forEach(type -> TYPES.put(type.torchName(), type));
    }

    private PlanJson() {}

    /** An object's members. */
    static Map<?, ?> object(@Nullable Object value, String where) {
        if (value instanceof Map<?, ?> map) {
            return map;
        }
        throw expected(where, "an object");
    }

    /** A list's items. */
    static List<?> list(@Nullable Object value, String where) {
        if (value instanceof List<?> list) {
            return list;
        }
        throw expected(where, "a list");
    }

    static String text(@Nullable Object value, String where) {
        if (value instanceof String text) {
            return text;
        }
        throw expected(where, "a text");
    }

    /** Names in a list. */
    static List<String> texts(@Nullable Object value, String where) {
        return list(value, where).stream().map(v -> text(v, where)).toList();
    }

    static int count(@Nullable Object value, String where) {
        if (value instanceof Long number && number >= 0 && number <= Integer.MAX_VALUE) {
            return number.intValue();
        }
        throw expected(where, "a number of things");
    }

    /** A list's item; lists of the format have fixed places. */
    static @Nullable Object part(List<?> list, int i, String where) {
        if (i >= list.size()) {
            throw new UserInputException(where + " is cut off");
        }
        return list.get(i);
    }

    /** The type of PyTorch's name, {@code null} for one that Headroom does not know. */
    static @Nullable DType typeOrNull(String name) {
        return TYPES.get(name);
    }

    /**
     * A tensor: {@code shape}, {@code stride}, {@code dtype}.
     *
     * @param symbols values of what symbolic sizes name
     */
    static TensorMeta tensor(@Nullable Object value, Map<String, Long> symbols, String where) {
        Map<?, ?> described = object(value, where);
        return tensor(described.get("dtype"), described.get("shape"), described.get("stride"), symbols, where);
    }

    /** A tensor of a type, sizes and strides, which may be expressions over symbols. */
    static TensorMeta tensor(
            @Nullable Object type,
            @Nullable Object shape,
            @Nullable Object stride,
            Map<String, Long> symbols,
            String where) {
        DType dtype = TYPES.get(text(type, where + ".dtype"));
        if (dtype == null) {
            throw new UserInputException(where + " has the type " + type + ", which Headroom does not know");
        }
        List<SymExpr> sizes = sizes(shape, symbols, where + ".shape");
        List<SymExpr> strides = sizes(stride, symbols, where + ".stride");
        if (sizes.size() != strides.size()) {
            throw new UserInputException(where + " has " + sizes.size() + " sizes but " + strides.size() + " strides");
        }
        requireSensible(sizes, strides, where);
        return new TensorMeta(dtype, sizes, strides, SymExpr.of(0), false);
    }

    /** A tensor has at most 64 dimensions (c10/core/TensorImpl), and its bytes are a number of 64 bits. */
    private static void requireSensible(List<SymExpr> sizes, List<SymExpr> strides, String where) {
        double elements = 1;
        double reach = 1;
        for (int i = 0; i < sizes.size(); i++) {
            double size = sizes.get(i).evaluate(Map.of());
            elements *= size;
            reach += size * strides.get(i).evaluate(Map.of());
        }
        if (sizes.size() > MOST_DIMENSIONS || elements > MOST_ELEMENTS || reach > MOST_ELEMENTS) {
            throw new UserInputException(where + " is larger than any tensor; the file is damaged");
        }
    }

    private static List<SymExpr> sizes(@Nullable Object value, Map<String, Long> symbols, String where) {
        return list(value, where).stream()
                .map(v -> SymExpr.of(size(v, symbols, where)))
                .toList();
    }

    private static long size(@Nullable Object value, Map<String, Long> symbols, String where) {
        long size = value instanceof Long number
                ? number
                : SymExprParser.parse(inSymPy(text(value, where))).evaluate(symbols);
        if (size < 0) {
            throw new UserInputException(where + " holds " + size + "; sizes are not negative");
        }
        return size;
    }

    /** Generated code is Python, whose functions SymPy writes with a capital. */
    private static String inSymPy(String text) {
        return text.replace("max(", "Max(").replace("min(", "Min(");
    }

    static UserInputException expected(String where, String what) {
        return new UserInputException(
                where + " is not " + what + "; write the plan again with the program of" + " `export_help_compile`");
    }
}
