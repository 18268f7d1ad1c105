package dev.headroom.executor.program;

/** A value on its way through the program. */
final class Local {
    final String name;

    /** The node that makes it. */
    final int made;

    /** The last node that reads it, or the one that makes it. */
    int used;

    /** The innermost call in which it is both made and read: its own, or one that it was returned to. */
    Call owner;

    /** What the owner did when it got the value. */
    Call.Step producer;

    /** What the owner did when the value was read last. */
    Call.Step consumer;

    /** The node after which the owner's last name for it is assigned again or gone; -1 without a name. */
    int unbound = -1;

    /** The node up to which something else holds it, -1 without. */
    int kept = -1;

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
        owner = call;
        producer = tree.stepIn(call, made);
        consumer = tree.stepIn(call, used);
    }

    /** Whether its owner reads it in another statement than the one that gave it. */
    boolean readLater() {
        return consumer.statement != producer.statement;
    }

    /** Whether nothing but the expression that it is a part of holds it. */
    boolean isTemporary() {
        return unbound < 0 && kept < 0;
    }

    /** Whether it outlives the name that it was assigned to. */
    boolean outlivesName() {
        return unbound >= 0 && consumer.last() > unbound;
    }

    /** The node after which it is dropped. */
    int death() {
        int known = Math.max(Math.max(consumer.last(), unbound), kept);
        if (!outlivesName()) {
            return known;
        }
        Call.Statement last = consumer.statement;
        return Math.max(known, last.replacesUnknown ? last.last() : owner.last());
    }
}
