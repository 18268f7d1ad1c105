package dev.headroom.estimator.program.source;

import dev.headroom.estimator.program.source.Spelled.Calls;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads what a statement of Python spells, in the order in which Python evaluates it: arguments before the call,
 * operands before the operator. A statement that goes on in a line out of sight is read as far as it can be seen.
 */
final class StatementReader {
    private static final String STRING = "[rbfuRBFU]{0,2}(?:\"(?:\\\\.|[^\"\\\\])*\"|'(?:\\\\.|[^'\\\\])*')";

    private static final Pattern TOKEN = Pattern.compile(STRING
            + "|\\d[\\w.]*(?:(?<=[eE])[-+]\\d+)?|\\.\\d\\w*|[A-Za-z_]\\w*"
            + "|\\*\\*=?|//=?|<<=?|>>=?|[-+*/@%&|^<>=!:]=|->|\\S");

    private static final Map<String, Integer> BINDING = Map.ofEntries(
            Map.entry("if", 1),
            Map.entry("else", 1),
            Map.entry("or", 2),
            Map.entry("and", 3),
            Map.entry("not", 4),
            Map.entry("in", 5),
            Map.entry("is", 5),
            Map.entry("<", 5),
            Map.entry(">", 5),
            Map.entry("<=", 5),
            Map.entry(">=", 5),
            Map.entry("==", 5),
            Map.entry("!=", 5),
            Map.entry("|", 6),
            Map.entry("^", 7),
            Map.entry("&", 8),
            Map.entry("<<", 9),
            Map.entry(">>", 9),
            Map.entry("+", 10),
            Map.entry("-", 10),
            Map.entry("*", 11),
            Map.entry("/", 11),
            Map.entry("//", 11),
            Map.entry("%", 11),
            Map.entry("@", 11),
            Map.entry("**", 13));

    private static final int UNARY = 12;

    /** Operators that an operator of Python runs. */
    private static final Map<String, Set<String>> ARITHMETIC = Map.ofEntries(
            Map.entry("<", Set.of("lt", "gt")),
            Map.entry(">", Set.of("gt", "lt")),
            Map.entry("<=", Set.of("le", "ge")),
            Map.entry(">=", Set.of("ge", "le")),
            Map.entry("==", Set.of("eq")),
            Map.entry("!=", Set.of("ne")),
            Map.entry("|", Set.of("bitwise_or", "logical_or", "__or__")),
            Map.entry("^", Set.of("bitwise_xor", "__xor__")),
            Map.entry("&", Set.of("bitwise_and", "logical_and", "__and__")),
            Map.entry("+", Set.of("add")),
            Map.entry("-", Set.of("sub", "rsub", "neg")),
            Map.entry("*", Set.of("mul")),
            Map.entry("/", Set.of("div", "reciprocal")),
            Map.entry("//", Set.of("floor_divide")),
            Map.entry("%", Set.of("remainder")),
            Map.entry("@", Set.of("matmul")),
            Map.entry("**", Set.of("pow")),
            Map.entry("~", Set.of("bitwise_not", "logical_not")));

    private static final Set<String> INDEXING =
            Set.of("select", "slice", "unsqueeze", "index", "index_put", "copy", "fill", "lift_fresh_copy", "detach");

    private static final Set<String> ATTRIBUTES = Set.of("T", "mT", "H", "mH", "real", "imag", "data", "grad");

    private static final Set<String> QUESTIONS = Set.of(
            "size",
            "dim",
            "numel",
            "stride",
            "item",
            "len",
            "int",
            "float",
            "bool",
            "range",
            "max",
            "min",
            "list",
            "tuple",
            "zip",
            "isinstance",
            "enumerate",
            "print",
            "type",
            "getattr",
            "append",
            "extend",
            "to",
            "long",
            "half",
            "double",
            "bfloat16",
            "contiguous",
            "cpu",
            "cuda",
            "detach");

    /** Operators of other names than the functions that run them. */
    private static final Map<String, Set<String>> NAMES = Map.ofEntries(
            Map.entry("float", Set.of("to", "_to_copy")),
            Map.entry("long", Set.of("to", "_to_copy")),
            Map.entry("int", Set.of("to", "_to_copy")),
            Map.entry("bool", Set.of("to", "_to_copy")),
            Map.entry("half", Set.of("to", "_to_copy")),
            Map.entry("double", Set.of("to", "_to_copy")),
            Map.entry("bfloat16", Set.of("to", "_to_copy")),
            Map.entry("type", Set.of("to", "_to_copy")),
            Map.entry("to", Set.of("to", "_to_copy")),
            Map.entry("tensor", Set.of("detach", "lift_fresh_copy")),
            Map.entry("cross_entropy", Set.of("cross_entropy_loss")),
            Map.entry("split", Set.of("split", "split_with_sizes")));

    /** No operator at all. */
    private static final Set<String> STILL = Set.of("pass", "del", "import", "from", "break", "continue", "global");

    private final List<String> tokens = new ArrayList<>();
    private final List<Spelled> out = new ArrayList<>();
    private int at;

    private StatementReader(String statement) {
        Matcher m = TOKEN.matcher(statement);
        while (m.find()) {
            tokens.add(m.group());
        }
    }

    /** What a statement spells, in the order of its evaluation. */
    static List<Spelled> read(String statement) {
        StatementReader r = new StatementReader(statement);
        r.statement();
        return r.out;
    }

    private void statement() {
        if (tokens.isEmpty() || STILL.contains(tokens.get(0))) {
            return;
        }
        int value = 0;
        String changes = "";
        int depth = 0;
        for (int i = 0; i < tokens.size(); i++) {
            String t = tokens.get(i);
            depth += "([{".contains(t) ? 1 : ")]}".contains(t) ? -1 : 0;
            boolean augmented = t.length() > 1
                    && t.endsWith("=")
                    && !Set.of("==", "!=", "<=", ">=", ":=").contains(t);
            if (depth == 0 && (t.equals("=") || augmented)) {
                value = i + 1;
                changes = t.substring(0, t.length() - 1);
            }
        }
        at = value > 0 ? value : Set.of("return", "assert", "yield", "raise").contains(tokens.get(0)) ? 1 : 0;
        list();
        if (!changes.isEmpty()) {
            arithmetic(changes);
        }
        if (value > 0 && tokens.subList(0, value).contains("[")) {
            out.add(new Spelled(INDEXING, Calls.INDEX));
        }
    }

    private String peek() {
        return at < tokens.size() ? tokens.get(at) : "";
    }

    /** Expressions with commas, or the colons of an index, between them, up to a closing bracket. */
    private void list() {
        int first = out.size();
        while (at < tokens.size() && !")]}".contains(peek())) {
            String t = peek();
            if (t.equals("for")) {
                while (out.size() > first) {
                    out.remove(out.size() - 1);
                }
                out.add(new Spelled(Set.of(), Calls.UNKNOWN));
                skip(false);
            } else if (t.equals("lambda")) {
                skip(true);
            } else if (",:*".contains(t) || t.equals("**") || t.equals(":=") || t.equals("=")) {
                at++;
            } else {
                int before = at;
                expression(0);
                at = at == before ? at + 1 : at;
            }
        }
    }

    private void skip(boolean comma) {
        int depth = 0;
        while (at < tokens.size()) {
            String t = peek();
            if (depth == 0 && (")]}".contains(t) || comma && t.equals(","))) {
                return;
            }
            depth += "([{".contains(t) ? 1 : ")]}".contains(t) ? -1 : 0;
            at++;
        }
    }

    private void bracketed() {
        at++;
        list();
        at++;
    }

    private void expression(int binding) {
        String t = peek();
        if (t.equals("-") || t.equals("~") || t.equals("+") || t.equals("not") || t.equals("await")) {
            at++;
            expression(UNARY);
            arithmetic(t);
        } else {
            operand();
        }
        while (at < tokens.size()) {
            String operator = peek();
            int own = BINDING.getOrDefault(operator, 0);
            if (own <= binding) {
                return;
            }
            at++;
            if (peek().equals("not") || peek().equals("in")) {
                at++; // is not, not in
            }
            expression(operator.equals("**") ? own - 2 : own);
            arithmetic(operator);
        }
    }

    private void arithmetic(String operator) {
        Set<String> names = ARITHMETIC.get(operator);
        if (names != null) {
            out.add(new Spelled(names, Calls.ARITHMETIC));
        }
    }

    /** A name, a number or brackets, and the attributes, calls and indexes behind. */
    private void operand() {
        String root = peek();
        boolean plain = !"([{".contains(root);
        String last = root;
        boolean dotted = false;
        if (!plain) {
            bracketed();
        } else if (!")]},:".contains(root)) {
            at++;
        }
        while (at < tokens.size()) {
            String t = peek();
            if (t.equals(".")) {
                at++;
                last = peek();
                dotted = true;
                at++;
                if (ATTRIBUTES.contains(last)) {
                    out.add(new Spelled(Set.of(last, "numpy_T", "permute", "transpose"), Calls.QUESTION));
                }
            } else if (t.equals("(")) {
                bracketed();
                call(plain ? root : "", last, dotted);
                plain = false;
            } else if (t.equals("[")) {
                bracketed();
                if (!(root.equals("self") && plain)) {
                    out.add(new Spelled(INDEXING, Calls.INDEX));
                }
            } else {
                return;
            }
        }
    }

    private void call(String root, String name, boolean dotted) {
        if (root.equals("math") || root.equals("np")) {
            return;
        }
        Calls calls = QUESTIONS.contains(name)
                ? Calls.QUESTION
                : root.equals("torch") || root.equals("F")
                        ? Calls.FUNCTION
                        : root.equals("self") || !dotted ? Calls.UNKNOWN : Calls.METHOD;
        out.add(new Spelled(NAMES.getOrDefault(name, Set.of(name)), calls));
    }
}
