package dev.headroom.model.script;

import java.util.List;
import java.util.Map;

/** What stands in a line of a loop: a part of Python's expressions. */
public sealed interface Expr {
    /** @param text as it was written, such as {@code 0.5} or {@code -1} */
    record Number(double value, boolean isInteger, String text) implements Expr {}

    /** {@code True}, {@code False}. */
    record Flag(boolean value) implements Expr {}

    /** A variable, a model, an optimizer or a tensor of the data. */
    record Name(String name) implements Expr {}

    /** {@code of[index]}: one of several results. */
    record Item(Expr of, int index) implements Expr {}

    /** {@code [a, b]} or {@code (a, b)}. */
    record Sequence(List<Expr> parts) implements Expr {}

    /** {@code function(a, b, name=c)}; a method is called with what it belongs to as {@code on}. */
    record Call(String function, List<Expr> arguments, Map<String, Expr> named) implements Expr {}

    /** {@code on.method(a, name=c)}. */
    record Method(Expr on, String method, List<Expr> arguments, Map<String, Expr> named) implements Expr {}
}
