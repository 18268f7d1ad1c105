package dev.headroom.estimator.program;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A conversion of element type as a line of Python spells it: an archive holds its outcome only.
 *
 * @param kind what decides the type
 * @param of the name whose type it takes, for {@link Kind#FOLLOW}; "" when that cannot be told from the line
 */
record Conversion(Kind kind, String of) {
    /** What decides the type that a conversion leads to. */
    enum Kind {
        /** A type by name: {@code .float()}, {@code .to(torch.float32)}. */
        LITERAL,
        /** The type of something else: {@code .to(x.dtype)}, {@code .to(input_dtype)}, {@code .type_as(x)}. */
        FOLLOW,
        /** None is named: {@code .to(x.device)}. */
        SELF
    }

    private static final Conversion LITERALLY = new Conversion(Kind.LITERAL, "");
    private static final Conversion UNCHANGED = new Conversion(Kind.SELF, "");

    private static final Pattern CALL =
            Pattern.compile("\\.(float|half|bfloat16|double)\\(\\)|\\.(to|type|type_as)\\(|\\bdtype\\s*=\\s*");

    private static final Pattern NAMED_TYPE =
            Pattern.compile("\\b(?:torch|jnp|np)\\.(?:float|double|half|bfloat|int|long|bool|uint|complex)\\w*");

    private static final Pattern TYPE_OF = Pattern.compile("([A-Za-z_][\\w.]*)\\.dtype\\b");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][\\w.]*");

    /** Method conversions of a line from left to right; {@code null} when the line ends inside of one. */
    static @Nullable List<Conversion> methods(String line) {
        return find(line, true);
    }

    /** The {@code dtype=} arguments of a line from left to right; {@code null} when the line ends inside of one. */
    static @Nullable List<Conversion> arguments(String line) {
        return find(line, false);
    }

    private static @Nullable List<Conversion> find(String line, boolean methods) {
        List<Conversion> out = new ArrayList<>();
        Matcher m = CALL.matcher(line);
        int from = 0;
        while (m.find(from)) {
            from = m.end();
            if (m.group(1) != null) {
                if (methods) {
                    out.add(LITERALLY);
                }
                continue;
            }
            boolean method = m.group(2) != null;
            String text = argument(line, m.end(), method);
            if (text == null && m.end() == line.length() && method == methods && !out.isEmpty()) {
                out.add(new Conversion(Kind.FOLLOW, "")); // a type by name would have fitted behind it
                return out;
            }
            if (text == null) {
                return null;
            }
            if (method) {
                from = m.end() + text.length();
            }
            if (method == methods) {
                out.add(meaning(text));
            }
        }
        return out;
    }

    /** To the closing parenthesis; for a {@code dtype=} to the next comma as well. */
    private static @Nullable String argument(String line, int start, boolean whole) {
        int depth = 0;
        for (int i = start; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '(' || c == '[') {
                depth++;
            } else if ((c == ')' || c == ']') && depth-- == 0 || c == ',' && depth == 0 && !whole) {
                return line.substring(start, i);
            }
        }
        return null;
    }

    private static Conversion meaning(String text) {
        if (NAMED_TYPE.matcher(text).find()) {
            return LITERALLY;
        }
        Matcher of = TYPE_OF.matcher(text);
        if (of.find()) {
            return new Conversion(Kind.FOLLOW, of.group(1));
        }
        if (text.contains("dtype")) {
            return new Conversion(Kind.FOLLOW, NAME.matcher(text).matches() ? text : "");
        }
        if (text.contains("device") || text.contains("memory_format")) {
            return UNCHANGED;
        }
        Matcher name = NAME.matcher(text);
        return new Conversion(Kind.FOLLOW, name.lookingAt() ? name.group() : "");
    }
}
