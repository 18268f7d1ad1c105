package dev.headroom.estimator.script;

import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.script.Expr;
import dev.headroom.model.script.Function;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What expressions come to. Arguments of a call live until it returns, as those on Python's stack do; variables keep
 * what they hold until they are bound again.
 */
final class Evaluator {
    private final EagerRuntime runtime;
    private final Map<String, PlayedModel> models;
    private final LoadedData data;
    private final OperatorCalls operators;
    private final Gradients gradients;
    private final Map<String, Value> variables = new LinkedHashMap<>();

    Evaluator(
            EagerRuntime runtime,
            Map<String, PlayedModel> models,
            LoadedData data,
            OperatorCalls operators,
            Gradients gradients) {
        this.runtime = runtime;
        this.gradients = gradients;
        this.models = models;
        this.data = data;
        this.operators = operators;
    }

    /** Adds what names hold. */
    void describe(Beginning to) {
        Value.describe(variables, to);
        data.describe(to);
    }

    /** Binds a name; what it held is let go of. */
    void bind(String name, Value value) {
        Value before = variables.put(name, value);
        if (before != null) {
            Value.release(runtime, before);
        }
    }

    /** {@code del name}. */
    void delete(String name) {
        Value before = variables.remove(name);
        if (before == null) {
            throw new UserInputException("'" + name + "' holds nothing yet");
        }
        Value.release(runtime, before);
    }

    /** @return with references for the caller */
    Value value(Expr e) {
        if (e instanceof Expr.Number n) {
            return new Value.Scalar(n.value(), n.isInteger());
        }
        if (e instanceof Expr.Flag f) {
            return new Value.Flag(f.value());
        }
        if (e instanceof Expr.Name n) {
            return held(variables.containsKey(n.name()) ? variable(n.name()) : data.lasting(n.name()));
        }
        if (e instanceof Expr.Item i) {
            return item(i);
        }
        if (e instanceof Expr.Sequence s) {
            return new Value.Sequence(s.parts().stream().map(this::value).toList());
        }
        return e instanceof Expr.Call c ? call(c) : method((Expr.Method) e);
    }

    private Value variable(String name) {
        Value value = variables.get(name);
        if (value == null) {
            throw new UserInputException("'" + name + "' holds nothing yet");
        }
        return value;
    }

    private Value held(Value value) {
        if (value instanceof Value.Tensors t) {
            t.all().forEach(runtime::hold);
        }
        return value;
    }

    private Value item(Expr.Item i) {
        Value of = value(i.of());
        if (!(of instanceof Value.Tensors t)) {
            throw new UserInputException("a number has no parts to choose from");
        }
        if (i.index() < 0 || i.index() >= t.all().size()) {
            throw new UserInputException(
                    "there is no result " + i.index() + ": there are " + t.all().size() + ", counted from 0");
        }
        Tensor chosen = runtime.hold(t.all().get(i.index()));
        Value.release(runtime, of);
        return Value.Tensors.one(chosen);
    }

    private Value call(Expr.Call c) {
        if (c.function().equals("load")) {
            return Value.Tensors.one(data.load(((Expr.Name) c.arguments().get(0)).name()));
        }
        if (c.function().equals("per_sample_grad")) {
            PlayedModel of = models.get(((Expr.Name) c.arguments().get(1)).name());
            return gradients.ofSamples(
                    value(c.arguments().get(0)),
                    Objects.requireNonNull(of).tensors().parameters(),
                    value(c.arguments().get(2)));
        }
        List<Value> given = new ArrayList<>();
        c.arguments().forEach(a -> given.add(value(a)));
        if (c.function().equals("grad")) {
            return gradients.of(given, named(c.named()));
        }
        PlayedModel model = models.get(c.function());
        Value out = model != null
                ? results(
                        model.call(given.stream().map(v -> one(c.function(), v)).toList()))
                : function(c.function(), given, named(c.named()));
        given.forEach(v -> Value.release(runtime, v));
        return out;
    }

    private Value method(Expr.Method m) {
        List<Value> given = new ArrayList<>(List.of(value(m.on())));
        m.arguments().forEach(a -> given.add(value(a)));
        Value out = function(m.method(), given, named(m.named()));
        given.forEach(v -> Value.release(runtime, v));
        return out;
    }

    private Map<String, Value> named(Map<String, Expr> named) {
        Map<String, Value> out = new LinkedHashMap<>();
        named.forEach((name, e) -> out.put(name, value(e)));
        return out;
    }

    /** @param made {@code null} for a result that is no tensor */
    private static Value results(Tensor[] made) {
        List<Tensor> tensors = Arrays.stream(made).filter(t -> t != null).toList();
        return new Value.Tensors(tensors, tensors.size() != 1);
    }

    static Tensor one(String who, @Nullable Value value) {
        if (value instanceof Value.Tensors t && t.all().size() == 1) {
            return t.all().get(0);
        }
        throw new UserInputException(who + " takes a tensor; of several results name one, as in out[0]");
    }

    private Value function(String name, List<Value> given, Map<String, Value> named) {
        if (name.equals("detach")) {
            try (Frame frame = runtime.frame()) {
                return Value.Tensors.one(runtime.hold(runtime.detach(one(name, given.get(0)))));
            }
        }
        if (name.equals("item")) { // a number on the host; which one, memory does not depend on
            one(name, given.get(0));
            return new Value.Scalar(1, false);
        }
        if (name.equals("requires_grad_")) {
            Tensor t = one(name, given.get(0));
            runtime.requireGrad(t, given.size() == 1 || given.get(1) instanceof Value.Flag f && f.value());
            return Value.Tensors.one(runtime.hold(t));
        }
        if (given.size() == 2 && given.get(0) instanceof Value.Scalar left) {
            return reversed(name, left, given.get(1));
        }
        Value out = Value.Tensors.one(operators.call(Function.of(name).orElseThrow(), given, named));
        named.values().forEach(v -> Value.release(runtime, v));
        return out;
    }

    /** A number before the operator: what Python asks of the tensor then (torch/_tensor.py). */
    private Value reversed(String name, Value.Scalar left, Value right) {
        if (right instanceof Value.Scalar r) {
            return folded(name, left, r);
        }
        return switch (name) {
            case "add", "mul" -> function(name, List.of(right, left), Map.of());
            case "sub" -> function("rsub", List.of(right, left), Map.of());
            case "div" -> {
                Value reciprocal = function("reciprocal", List.of(right), Map.of());
                Value scaled = function("mul", List.of(reciprocal, left), Map.of());
                Value.release(runtime, reciprocal);
                yield scaled;
            }
            default -> throw new UserInputException(name + " takes a tensor before a number");
        };
    }

    private static Value folded(String name, Value.Scalar a, Value.Scalar b) {
        double result =
                switch (name) {
                    case "add" -> a.value() + b.value();
                    case "sub" -> a.value() - b.value();
                    case "mul" -> a.value() * b.value();
                    case "div" -> a.value() / b.value();
                    default -> throw new UserInputException(name + " takes tensors");
                };
        return new Value.Scalar(result, a.isInteger() && b.isInteger() && !name.equals("div"));
    }
}
