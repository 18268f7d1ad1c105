package dev.headroom.executor.program;

import dev.headroom.model.graph.Graph;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A value on its way through the program. */
final class Local {
    final String name;

    /** The nodes that read it. */
    final List<Integer> readers = new ArrayList<>(2);

    /** The node that makes it. */
    final int made;

    /** The last node that reads it, or the one that makes it. */
    int used;

    /**
     * Where it belongs.
     *
     * @param owner the innermost call in which it is both made and read: its own, or one that it was returned to
     * @param producer what the owner did when it got the value
     * @param consumer what the owner did when the value was read last
     */
    private record Place(Call owner, Call.Step producer, Call.Step consumer) {}

    private @Nullable Place place;

    /** The name that its statement gives it, "" without one. */
    String boundTo = "";

    /** The node after which the owner's last name for it is assigned again or gone; -1 without a name. */
    int unbound = -1;

    /** The node up to which something else holds it, -1 without. */
    int kept = -1;

    /** The node up to which a name holds it whose assignment left no line; -1 where that is not known. */
    int elsewhere = -1;

    /** The node after which the list that a statement put it into is another; -1 where that is not known. */
    int listGone = -1;

    /** Whether it is taken out of the list that held it when it is read last. */
    boolean popped;

    /** Whether it is one of several results of which the line takes another: {@code torch.topk(x, k)[1]}. */
    boolean leftOut;

    /** Whether a module returned it though nobody reads it. */
    boolean returned;

    Local(String name, int made) {
        this.name = name;
        this.made = made;
        this.used = made;
    }

    void settle(CallTree tree) {
        settle(tree, tree.commonCall(made, used));
    }

    /** Makes a call its owner that it is returned to unread. */
    void settle(CallTree tree, Call call) {
        place = new Place(call, tree.stepIn(call, made), tree.stepIn(call, used));
    }

    /** Makes a call its owner that it is returned to, and that does not read it. */
    void settleReturned(CallTree tree, Call call) {
        Call.Step step = tree.stepIn(call, made);
        place = new Place(call, step, step);
        returned = true;
    }

    private Place place() {
        return Objects.requireNonNull(place, name);
    }

    /** The innermost call in which it is both made and read: its own, or one that it was returned to. */
    Call owner() {
        return place().owner();
    }

    /** What the owner did when it got the value. */
    Call.Step producer() {
        return place().producer();
    }

    /** What the owner did when the value was read last. */
    private Call.Step consumer() {
        return place().consumer();
    }

    /** Whether it is another name for what was broadcast (torch/nn/functional.py, losses). */
    boolean isAlias(Graph graph) {
        return graph.nodes().get(made).operator().equals("aten.broadcast_tensors");
    }

    /** Whether its owner reads it in another statement than the one that gave it. */
    boolean readLater() {
        return consumer().statement != producer().statement;
    }

    /** Whether a statement without a name for it put it into a list or a dictionary, from which it is read later. */
    boolean isListed() {
        SourceLine made = producer().statement.line;
        return unbound < 0
                && readLater()
                && made.number() != consumer().statement.line.number()
                && made.names().isEmpty()
                && (made.fills() || isPartOfAssignment());
    }

    /**
     * Whether it was made on a line in the midst of a statement that had ended when it was read: the name is on another
     * line. A statement runs at the lines of its calls, which begin before their arguments; what follows a dot or a
     * bracket goes on with the expression before it.
     */
    private boolean isPartOfAssignment() {
        SourceLine made = producer().statement.line;
        SourceLine read = consumer().statement.line;
        return made.text().endsWith(",")
                && read.number() > made.number()
                && !read.text().endsWith(",")
                && !read.text().startsWith(".")
                && !read.text().startsWith(")");
    }

    /** Whether nothing but the expression that it is a part of holds it. */
    boolean isTemporary() {
        return unbound < 0 && kept < 0 && !isListed();
    }

    /** Whether it outlives the name that it was assigned to. */
    boolean outlivesName() {
        return unbound >= 0 && consumer().last() > unbound;
    }

    /** The node after which it is dropped. */
    int death() {
        int known = Math.max(Math.max(consumer().last(), unbound), kept);
        if (outlivesName() && elsewhere >= 0) {
            return Math.max(known, elsewhere);
        }
        if (!outlivesName() && !isListed()) {
            return known;
        }
        if (isListed() && listGone >= 0) {
            return Math.max(known, listGone);
        }
        Call.Statement last = consumer().statement;
        return Math.max(known, last.replacesUnknown ? last.last() : owner().last());
    }
}
