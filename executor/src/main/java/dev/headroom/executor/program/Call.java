package dev.headroom.executor.program;

import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One call of a module's {@code forward}: what it did, step by step, grouped by the statements of its source. A step is
 * an operator or the call of another module.
 */
final class Call {
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

        private final Set<String> called = new HashSet<>(2);
        private Step lastStep;

        private Statement(SourceLine line, int index) {
            this.line = line;
            this.index = index;
        }

        /** Its last node. */
        int last() {
            return lastStep.last;
        }

        boolean endsWith(Step step) {
            return lastStep == step;
        }

        private Step step() {
            lastStep = new Step(this);
            return lastStep;
        }
    }

    final Node.ModuleCall module;

    /** Who calls it, {@code null} for the program as a whole. */
    final Call parent;

    final int depth;

    /** Where its parent is during the call. */
    final Step step;

    final List<Statement> statements = new ArrayList<>();

    private Call(Node.ModuleCall module, Call parent, Step step) {
        this.module = module;
        this.parent = parent;
        this.depth = parent == null ? 0 : parent.depth + 1;
        this.step = step;
    }

    /** What calls the model. */
    static Call program() {
        return new Call(null, null, null);
    }

    /** Its last node, -1 if it has none. */
    int last() {
        return statements.isEmpty() ? -1 : statements.get(statements.size() - 1).last();
    }

    /** Adds an operator. */
    Step operator(int node, SourceLine line) {
        Step step = statement(line, "").step();
        step.enter(node);
        for (Call c = this; c.step != null; c = c.parent) {
            c.step.enter(node);
        }
        return step;
    }

    /** Adds a call. A segment of a checkpointed chain has no class: its calls are all one expression. */
    Call enter(Node.ModuleCall callee, SourceLine line) {
        String path = callee.type().isEmpty() ? "" : callee.path();
        return new Call(callee, this, statement(line, path).step());
    }

    private Statement statement(SourceLine line, String callee) {
        Statement s = statements.isEmpty() ? null : statements.get(statements.size() - 1);
        boolean same = s != null
                && !line.text().isEmpty()
                && s.line.number() == line.number()
                && s.line.text().equals(line.text())
                && (callee.isEmpty() || !s.called.contains(turn(callee)) && !argumentOfNext(s, callee));
        if (!same) {
            s = new Statement(line, statements.size());
            statements.add(s);
        }
        if (!callee.isEmpty()) {
            s.called.add(turn(callee));
        }
        return s;
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
        return open > 0 && s.called.stream().anyMatch(c -> c.endsWith("."));
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
