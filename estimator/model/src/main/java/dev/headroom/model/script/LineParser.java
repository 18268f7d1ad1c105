package dev.headroom.model.script;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a line of a loop, by recursive descent:
 *
 * <pre>
 *  line    = "del" names | [names "="] sum
 *  sum     = product {("+" | "-") product}
 *  product = unary {("*" | "/") unary}
 *  unary   = "-" unary | postfix ["**" unary]
 *  postfix = atom {"[" number "]" | "." name "(" arguments ")"}
 *  atom    = number | name | name "(" arguments ")" | "(" sums ")" | "[" sums "]"
 * </pre>
 */
final class LineParser {
    private static final Pattern TOKEN =
            Pattern.compile("\\s*(?:(\\d+\\.?\\d*(?:[eE][-+]?\\d+)?|\\.\\d+)|([A-Za-z_]\\w*)|(\\*\\*|.))");

    private static final Set<String> MODULES = Set.of("torch", "nn", "F", "functional", "utils", "autograd", "cuda");

    /** Far more brackets within each other, or signs in a row, than anybody writes. */
    private static final int DEEPEST = 100;

    private final List<String> tokens = new ArrayList<>();
    private final int line;
    private int at;
    private int depth;

    private LineParser(String text, int line) {
        this.line = line;
        Matcher m = TOKEN.matcher(text.strip());
        while (m.lookingAt()) {
            tokens.add(m.group().strip());
            m.region(m.end(), m.regionEnd());
        }
    }

    /**
     * The statement of a line.
     *
     * @throws IllegalArgumentException for another text, with a message that says what was expected
     */
    static Statement parse(String text, int line) {
        LineParser parser = new LineParser(text, line);
        Statement read = parser.statement();
        if (parser.at < parser.tokens.size()) {
            throw new IllegalArgumentException("'" + parser.peek() + "' is not expected there");
        }
        return read;
    }

    private Statement statement() {
        if (peek().equals("del")) {
            at++;
            return new Statement.Delete(names(), line);
        }
        int equals = tokens.indexOf("=");
        boolean bound = equals > 0 && tokens.subList(0, equals).stream().allMatch(t -> isName(t) || t.equals(","));
        List<String> targets = List.of();
        if (bound) {
            targets = names();
            expect("=");
        }
        return new Statement.Line(targets, ScalerLines.read(sum()), line);
    }

    private List<String> names() {
        List<String> names = new ArrayList<>(List.of(name()));
        while (accept(",")) {
            names.add(name());
        }
        return names;
    }

    private Expr sum() {
        Expr left = product();
        while (true) {
            if (accept("+")) {
                left = call("add", left, product());
            } else if (accept("-")) {
                left = call("sub", left, product());
            } else {
                return left;
            }
        }
    }

    private Expr product() {
        Expr left = unary();
        while (true) {
            if (accept("*")) {
                left = call("mul", left, unary());
            } else if (accept("/")) {
                left = call("div", left, unary());
            } else {
                return left;
            }
        }
    }

    private Expr unary() {
        if (++depth > DEEPEST) {
            throw new IllegalArgumentException("the line is nested more than " + DEEPEST + " deep; divide it");
        }
        try {
            if (accept("-")) {
                return negative(unary());
            }
            Expr base = postfix();
            return accept("**") ? call("pow", base, unary()) : base;
        } finally {
            depth--;
        }
    }

    private static Expr negative(Expr of) {
        return of instanceof Expr.Number n
                ? new Expr.Number(-n.value(), n.isInteger(), "-" + n.text())
                : call("neg", of);
    }

    private static Expr call(String function, Expr... arguments) {
        return new Expr.Call(function, List.of(arguments), Map.of());
    }

    private Expr postfix() {
        Expr of = atom();
        while (true) {
            if (accept("[")) {
                if (!(unary() instanceof Expr.Number n) || !n.isInteger()) {
                    throw new IllegalArgumentException("a result is named by its number, as in out[0]");
                }
                expect("]");
                of = new Expr.Item(of, (int) n.value());
            } else if (accept(".")) {
                String method = name();
                if (!peek().equals("(")) {
                    throw new IllegalArgumentException(
                            "'." + method + "' is no call; results are named by their" + " number, as in out[0]");
                }
                Map<String, Expr> named = new LinkedHashMap<>();
                List<Expr> given = arguments(named);
                boolean same = method.equals("parameters") && of instanceof Expr.Name && given.isEmpty();
                of = same ? of : new Expr.Method(of, method, given, named); // who clips is given the model itself
            } else {
                return of;
            }
        }
    }

    private Expr atom() {
        if (accept("(")) {
            Expr first = sum();
            if (accept(")")) {
                return first;
            }
            return sequence(first, ")");
        }
        if (accept("[")) {
            Expr first = sum();
            return accept("]") ? new Expr.Sequence(List.of(first)) : sequence(first, "]");
        }
        String token = withoutModule(next());
        if (token.equals("True") || token.equals("False")) {
            return new Expr.Flag(token.equals("True"));
        }
        if (isName(token)) {
            if (!peek().equals("(")) {
                return new Expr.Name(token);
            }
            Map<String, Expr> named = new LinkedHashMap<>();
            return new Expr.Call(token, arguments(named), named);
        }
        try {
            return new Expr.Number(Double.parseDouble(token), token.matches("\\d+"), token);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    token.isEmpty() ? "the line ends too early" : "'" + token + "' is not expected there", e);
        }
    }

    /** {@code F.mse_loss(} and {@code torch.nn.utils.clip_grad_norm_(} without the module; other names as they are. */
    private String withoutModule(String first) {
        int i = at;
        String last = first;
        while (MODULES.contains(last) && i + 1 < tokens.size() && tokens.get(i).equals(".")) {
            last = tokens.get(i + 1);
            i += 2;
        }
        boolean called =
                i > at && isName(last) && i < tokens.size() && tokens.get(i).equals("(");
        boolean named =
                first.equals("torch") || first.equals("nn") || Function.of(last).isPresent(); // F may be a model
        if (!called || !named) {
            return first;
        }
        at = i;
        return last;
    }

    private Expr sequence(Expr first, String end) {
        List<Expr> parts = new ArrayList<>(List.of(first));
        while (accept(",")) {
            if (!peek().equals(end)) {
                parts.add(sum());
            }
        }
        expect(end);
        return new Expr.Sequence(parts);
    }

    private List<Expr> arguments(Map<String, Expr> named) {
        expect("(");
        List<Expr> out = new ArrayList<>();
        while (!accept(")")) {
            if (isName(peek()) && at + 1 < tokens.size() && tokens.get(at + 1).equals("=")) {
                String name = name();
                expect("=");
                named.put(name, sum());
            } else {
                out.add(sum());
            }
            if (!peek().equals(")")) {
                expect(",");
            }
        }
        return out;
    }

    private static boolean isName(String token) {
        return !token.isEmpty() && (Character.isLetter(token.charAt(0)) || token.charAt(0) == '_');
    }

    private String peek() {
        return at < tokens.size() ? tokens.get(at) : "";
    }

    private String next() {
        String token = peek();
        at++;
        return token;
    }

    private String name() {
        String token = next();
        if (!isName(token)) {
            throw new IllegalArgumentException(
                    token.isEmpty() ? "the line ends too early" : "'" + token + "' is no name");
        }
        return token;
    }

    private boolean accept(String token) {
        if (!peek().equals(token)) {
            return false;
        }
        at++;
        return true;
    }

    private void expect(String token) {
        if (!accept(token)) {
            throw new IllegalArgumentException(
                    "'" + token + "' is missing" + (peek().isEmpty() ? "" : " before '" + peek() + "'"));
        }
    }
}
