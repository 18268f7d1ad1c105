package dev.headroom.estimator.op.core;

import dev.headroom.estimator.op.rule.AtenOperators;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.op.rule.Rule;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.dsl.Arguments;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The body of a C++ function that calls other operators, with C++'s lifetimes: what a call makes is a temporary until
 * the statement ends ({@link #let}, {@link #give}), temporaries go in reverse order, and so do variables at the end.
 * Operators are called by name, through their rules, and are recorded wherever gradients are.
 */
public final class Body {
    private final EagerRuntime rt;
    private final Registry rules;
    private final List<Tensor> temporaries = new ArrayList<>();
    private final List<Tensor> variables = new ArrayList<>();

    public Body(EagerRuntime rt, Registry rules) {
        this.rt = rt;
        this.rules = rules;
    }

    public EagerRuntime runtime() {
        return rt;
    }

    /** The body of another function that calls the same operators. */
    public Body another() {
        return new Body(rt, rules);
    }

    /** Calls an operator that has one result; arguments in the schema's order, {@code null} for a default. */
    public Tensor call(String operator, @Nullable Object... arguments) {
        return all(operator, arguments)[0];
    }

    /**
     * Calls an operator.
     *
     * @param operator without {@code aten.}, with its overload unless that is {@code default}
     */
    public Tensor[] all(String operator, @Nullable Object... arguments) {
        String target = "aten." + (operator.indexOf('.') < 0 ? operator + ".default" : operator);
        Rule rule = rules.find(target);
        if (rule == null) {
            throw new NoRule(target + ", which it calls, has no rule");
        }
        Map<String, Tensor> values = new HashMap<>();
        List<String> names = AtenOperators.arguments(target);
        List<Node.NamedArgument> named = new ArrayList<>();
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i] != null) {
                named.add(new Node.NamedArgument(names.get(i), argument(arguments[i], values)));
            }
        }
        Node node = new Node("", target, named, List.of(), List.of(), "");
        Frame frame = rt.frame();
        Tensor[] out;
        try {
            out = Autocast.run(new Call(rt, node, values, Map.of()), rule);
            for (Tensor t : out) {
                frame.keep(t);
            }
        } finally {
            frame.close();
        }
        temporaries.addAll(Arrays.asList(out));
        return out;
    }

    private static Argument argument(Object value, Map<String, Tensor> values) {
        if (value instanceof Tensor t) {
            return new Argument.Value(name(t, values));
        }
        if (value instanceof Tensor[] list) {
            return new Argument.Values(Arrays.stream(list)
                    .map(t -> t == null ? null : name(t, values))
                    .toList());
        }
        return Arguments.of(value);
    }

    private static String name(Tensor t, Map<String, Tensor> values) {
        String name = "v" + values.size();
        values.put(name, t);
        return name;
    }

    /** A tensor that something else than an operator made, such as a kernel's result: a temporary from now on. */
    public Tensor made(Tensor t) {
        temporaries.add(t);
        return t;
    }

    /** An unrecorded element-wise kernel's result. */
    public Tensor op(Tensor... operands) {
        return made(Strided.result(rt, operands));
    }

    /** An unrecorded comparison's result. */
    public Tensor test(Tensor... operands) {
        return made(Strided.result(rt, DType.BOOL, operands));
    }

    /** Ends a statement: temporaries go, but for the value, which is a variable from now on. */
    public Tensor let(Tensor value) {
        end(value);
        if (!variables.contains(value)) {
            variables.add(value);
        }
        return value;
    }

    /** Ends a statement whose value is not wanted. */
    public void end() {
        end(null);
    }

    /** {@link #give} of a function with several results. */
    public void giveAll(Tensor... results) {
        List<Tensor> kept = Arrays.asList(results);
        temporaries.removeAll(kept);
        variables.removeAll(kept);
        endAll(null);
    }

    private void end(@Nullable Tensor kept) {
        for (int i = temporaries.size() - 1; i >= 0; i--) {
            Tensor t = temporaries.get(i);
            if (t != kept && !variables.contains(t)) {
                rt.free(t);
            }
        }
        temporaries.clear();
    }

    /** {@code name = value} for a variable: the old tensor goes when the statement's value is there. */
    public Tensor assign(Tensor variable, Tensor value) {
        temporaries.remove(value);
        if (variable != value) {
            variables.remove(variable);
            rt.free(variable);
            variables.add(value);
        }
        end(value);
        return value;
    }

    /** A list of temporaries, such as a vector of tensors: its elements go in their order, not in reverse. */
    public Tensor[] listed(Tensor[] list) {
        temporaries.removeAll(Arrays.asList(list));
        for (int i = list.length - 1; i >= 0; i--) {
            temporaries.add(list[i]);
        }
        return list;
    }

    /** A temporary goes before its statement ends: a variable of a function that the statement calls. */
    public void gone(Tensor temporary) {
        if (temporaries.remove(temporary)) {
            rt.free(temporary);
        }
    }

    /** Ends a variable before its time. */
    public void drop(Tensor variable) {
        if (variables.remove(variable)) {
            rt.free(variable);
        }
    }

    /** Ends the function: temporaries go, then variables, but for the result. */
    public Tensor give(Tensor result) {
        endAll(result);
        return result;
    }

    private void endAll(@Nullable Tensor result) {
        end(result);
        for (int i = variables.size() - 1; i >= 0; i--) {
            if (variables.get(i) != result) {
                rt.free(variables.get(i));
            }
        }
        variables.clear();
    }
}
