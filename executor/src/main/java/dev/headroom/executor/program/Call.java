package dev.headroom.executor.program;

import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One call of a module's {@code forward}: what it did, step by step, grouped by the statements of its source. A step is
 * an operator or the call of another module.
 */
final class Call {
    /** The most lines of a statement. */
    private static final int LONGEST = 10;

    /** A module in a container that is itself in a container, as {@code res.2.1}. */
    private static final Pattern ITEM = Pattern.compile("(.*?)\\.?(\\d+)\\.(\\d+)");

    /** An operator, or a call, within a call. */
    static final class Step {
        final Statement statement;

        /** Its last node so far. */
        private int last;

        private Step(Statement statement) {
            this.statement = statement;
        }

        int last() {
            return last;
        }

        private void enter(int node) {
            last = node;
            if (statement.first < 0) {
                statement.first = node;
            }
        }
    }

    /** One execution of a statement. */
    static final class Statement {
        final SourceLine line;

        /** Position among the call's statements. */
        final int index;

        /** Its first node, that of its first step. */
        int first() {
            return first;
        }

        private int first = -1;
        /**
         * Whether it assigns a variable, made from itself, of which no value is known: what it held is gone
         * afterwards.
         */
        boolean replacesUnknown;

        /** How often modules were called. */
        private final Map<String, Integer> called = new HashMap<>(2);

        /** By container of containers: the one whose modules are called; another one's begin the next turn. */
        private final Map<String, String> items = new HashMap<>(2);

        private @Nullable Step lastStep;

        private Statement(SourceLine line, int index) {
            this.line = line;
            this.index = index;
        }

        /** Its last node. */
        int last() {
            return Objects.requireNonNull(lastStep, "a step").last;
        }

        boolean endsWith(Step step) {
            return lastStep == step;
        }

        private Step step() {
            Step step = new Step(this);
            lastStep = step;
            return step;
        }
    }

    /**
     * Where a call comes from.
     *
     * @param module that is called
     * @param parent who calls it
     * @param step where its parent is during the call
     */
    record Site(Node.ModuleCall module, Call parent, Step step) {}

    /** Where it comes from, {@code null} for the program as a whole. */
    final @Nullable Site site;

    final int depth;

    final List<Statement> statements = new ArrayList<>();

    private Call(@Nullable Site site) {
        this.site = site;
        this.depth = site == null ? 0 : site.parent.depth + 1;
    }

    /** What calls the model. */
    static Call program() {
        return new Call(null);
    }

    /** Where it comes from, for a call that is not the program. */
    Site given() {
        return Objects.requireNonNull(site, "a caller");
    }

    /** Its last node, -1 if it has none. */
    int last() {
        return statements.isEmpty() ? -1 : statements.get(statements.size() - 1).last();
    }

    /** Adds an operator. */
    Step operator(int node, SourceLine line) {
        Step step = statement(line, "").step();
        step.enter(node);
        for (Site s = site; s != null; s = s.parent.site) {
            s.step.enter(node);
        }
        return step;
    }

    /** Whether a module stands for a segment of a checkpointed chain, which has no class. */
    static boolean isSegment(Node.ModuleCall module) {
        return module.type().isEmpty();
    }

    /** Adds a call. Those of segments are all one expression. */
    Call enter(Node.ModuleCall callee, SourceLine line) {
        String path = isSegment(callee) ? "" : callee.path();
        return new Call(new Site(callee, this, statement(line, path).step()));
    }

    private Statement statement(SourceLine line, String callee) {
        Statement s = statements.isEmpty() ? null : statements.get(statements.size() - 1);
        if (s == null || !continues(s, line, callee)) {
            s = new Statement(line, statements.size());
            statements.add(s);
        }
        if (!callee.isEmpty()) {
            s.called.merge(turn(callee), 1, Integer::sum);
            Matcher item = ITEM.matcher(callee);
            if (item.matches()) {
                s.items.put(item.group(1), item.group(2));
            }
        }
        return s;
    }

    private static boolean continues(Statement s, SourceLine line, String callee) {
        Matcher item = ITEM.matcher(callee);
        if (s.line.equals(line)
                && !line.callsVariable()
                && !line.isComprehension()
                && item.matches()
                && !line.text().contains("[" + item.group(3) + "]")
                && s.items.containsKey(item.group(1))) {
            return item.group(2).equals(s.items.get(item.group(1)));
        }
        if (callee.isEmpty() && line.continuesExpression() && goesOn(s.line, line)) {
            return true;
        }
        return !line.text().isEmpty()
                && s.line.number() == line.number()
                && s.line.text().equals(line.text())
                && (callee.isEmpty()
                        || line.isComprehension()
                        || !(line.callsVariable() && !s.called.isEmpty())
                                && s.called.getOrDefault(turn(callee), 0) < line.timesCalled(callee)
                                && !argumentOfNext(s, callee));
    }

    /** Whether a line is the end of a statement that began on another, of a few lines. */
    private static boolean goesOn(SourceLine begun, SourceLine line) {
        int between = line.number() - begun.number();
        return between > 0 && between < LONGEST && (line.text().startsWith(".") || begun.isUnfinished());
    }

    /**
     * Whether a call that is an argument of another follows one of a numbered module, as in {@code x =
     * block(self.pool(x))} in a loop over blocks: it begins the next turn.
     */
    private static boolean argumentOfNext(Statement s, String callee) {
        String text = s.line.text();
        int at = text.indexOf("self." + callee.substring(callee.lastIndexOf('.') + 1) + "(");
        int open = 0;
        for (int i = 0; i < at; i++) {
            open += text.charAt(i) == '(' ? 1 : text.charAt(i) == ')' ? -1 : 0;
        }
        return open > 0 && s.called.keySet().stream().anyMatch(c -> c.endsWith("."));
    }

    /**
     * What a statement calls once, unless it is in a loop: a module or, of numbered ones, which are called in a loop
     * over their container, one of them.
     */
    private static String turn(String path) {
        String name = path.substring(path.lastIndexOf('.') + 1);
        boolean numbered = !name.isEmpty() && name.chars().allMatch(Character::isDigit);
        return numbered ? path.substring(0, path.length() - name.length()) : path;
    }
}
