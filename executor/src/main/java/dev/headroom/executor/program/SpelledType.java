package dev.headroom.executor.program;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a line of source says to which type something is converted, or in which it is made.
 *
 * @param of the variable whose type it is, for {@link Kind#LIKE}; "" where it has no name
 */
record SpelledType(Kind kind, String of) {
    enum Kind {
        /** By name: {@code x.float()}, {@code dtype=torch.float32}. */
        NAMED,
        /**
         * {@code x.to(other.dtype)}, {@code x.type_as(other)}, {@code dtype=other.dtype}, {@code x.to(input_dtype)}.
         */
        LIKE,
        /** Not at all: {@code x.to(device)}. */
        NONE
    }

    private static final Pattern METHOD =
            Pattern.compile("\\.(?:(float)\\(\\)|type_as\\(\\s*([\\w.]+)|(?:to|type)\\(((?:[^()]|\\([^()]*\\))*)\\)?)");
    private static final Pattern ARGUMENT = Pattern.compile("dtype\\s*=\\s*([\\w.]+)");
    private static final Pattern NAMED = Pattern.compile("\\b(?:float32|torch\\.float|float64|double)\\b");
    private static final Pattern OTHERS = Pattern.compile("\\b([A-Za-z_]\\w*)\\.dtype\\b");

    /** A variable for the type of another, such as {@code input_dtype}. */
    private static final Pattern VARIABLE = Pattern.compile("(?<![\\w.])(\\w*?)_?d?type\\b(?!\\s*=|\\.)");

    /** {@code x.to(other)}: a name that is not a device's. */
    private static final Pattern TENSOR =
            Pattern.compile("\\s*(?!\\w*(?:device|dev|gpu|cuda|cpu)\\w*)[A-Za-z_]\\w*\\s*");

    private static final SpelledType BY_NAME = new SpelledType(Kind.NAMED, "");
    private static final SpelledType NOT = new SpelledType(Kind.NONE, "");

    /** The conversions of a line, in order. */
    static List<SpelledType> conversions(String line) {
        List<SpelledType> out = new ArrayList<>();
        Matcher m = METHOD.matcher(line);
        while (m.find()) {
            if (m.group(1) != null) {
                out.add(BY_NAME);
            } else {
                out.add(m.group(2) != null ? new SpelledType(Kind.LIKE, m.group(2)) : of(m.group(3)));
            }
        }
        return out;
    }

    /** What a line says of tensors that it makes, in order. */
    static List<SpelledType> creations(String line) {
        List<SpelledType> out = new ArrayList<>();
        Matcher m = ARGUMENT.matcher(line);
        while (m.find()) {
            out.add(of(m.group(1)));
        }
        return out;
    }

    private static SpelledType of(String type) {
        if (type.isBlank()) {
            return new SpelledType(Kind.LIKE, ""); // on the next line
        }
        if (NAMED.matcher(type).find()) {
            return BY_NAME;
        }
        Matcher other = OTHERS.matcher(type);
        if (other.find()) {
            return new SpelledType(Kind.LIKE, other.group(1));
        }
        Matcher variable = VARIABLE.matcher(type);
        if (variable.find()) {
            return new SpelledType(Kind.LIKE, variable.group(1));
        }
        return TENSOR.matcher(type).matches() ? new SpelledType(Kind.LIKE, type.strip()) : NOT;
    }
}
