package dev.headroom.model.compiled;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Arguments of operators in a plan: numbers, texts and {@code null} as they are, all else as {@code [kind, value]}.
 */
final class PlanArguments {
    private PlanArguments() {}

    /** @param known checks the name of a value */
    static Argument read(@Nullable Object value, UnaryOperator<@Nullable String> known, String where) {
        if (value == null) {
            return new Argument.None();
        }
        if (value instanceof Boolean flag) {
            return new Argument.Bool(flag);
        }
        if (value instanceof Long number) {
            return new Argument.Int(SymExpr.of(number));
        }
        if (value instanceof Double number) {
            return new Argument.Float(number);
        }
        if (value instanceof String text) {
            return new Argument.Text(text);
        }
        List<?> pair = PlanJson.list(value, where);
        return ofKind(PlanJson.text(PlanJson.part(pair, 0, where), where), PlanJson.part(pair, 1, where), known, where);
    }

    private static Argument ofKind(
            String kind, @Nullable Object value, UnaryOperator<@Nullable String> known, String where) {
        return switch (kind) {
            case "tensor" -> new Argument.Value(known.apply(PlanJson.text(value, where)));
            case "tensors" -> {
                List<@Nullable String> names = new ArrayList<>();
                PlanJson.list(value, where)
                        .forEach(v -> names.add(v == null ? null : known.apply(PlanJson.text(v, where))));
                yield new Argument.Values(names);
            }
            case "ints" ->
                new Argument.Ints(PlanJson.list(value, where).stream()
                        .map(v -> SymExpr.of(integer(v, where)))
                        .toList());
            case "floats" ->
                new Argument.Floats(PlanJson.list(value, where).stream()
                        .map(v -> number(v, where).doubleValue())
                        .toList());
            case "bools" ->
                new Argument.Bools(PlanJson.list(value, where).stream()
                        .map(Boolean.TRUE::equals)
                        .toList());
            case "dtype" -> {
                DType type = PlanJson.typeOrNull(PlanJson.text(value, where));
                yield type == null ? new Argument.Other(kind, String.valueOf(value)) : new Argument.Type(type);
            }
            case "device" -> new Argument.Device(PlanJson.text(value, where));
            case "memory_format" -> format(PlanJson.text(value, where));
            // A number that lies on the host: what it is makes no difference.
            case "host" -> new Argument.Float(1);
            default -> new Argument.Other(kind, String.valueOf(value));
        };
    }

    private static Number number(@Nullable Object value, String where) {
        if (value instanceof Number number) {
            return number;
        }
        throw PlanJson.expected(where, "numbers");
    }

    private static long integer(@Nullable Object value, String where) {
        if (value instanceof Long number) {
            return number;
        }
        throw PlanJson.expected(where, "whole numbers");
    }

    private static Argument format(String name) {
        return switch (name) {
            case "contiguous_format" -> new Argument.Format(MemoryFormat.CONTIGUOUS);
            case "channels_last" -> new Argument.Format(MemoryFormat.CHANNELS_LAST);
            case "channels_last_3d" -> new Argument.Format(MemoryFormat.CHANNELS_LAST_3D);
            case "preserve_format" -> new Argument.Format(MemoryFormat.PRESERVE);
            default -> new Argument.Other("memory_format", name);
        };
    }
}
