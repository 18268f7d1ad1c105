package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.scenario.ModelOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The masks of a pass of {@code generate()}: which keys of the cache a query may see, made of the mask of tokens
 * (transformers, masking_utils.py, sdpa_mask).
 */
public final class CacheMasks {
    private static final String MASK = "mask_";

    private final Scope s;
    private final CacheStep step;
    private final CacheStep.Keys keys;
    private final @Nullable Long window;

    /** Local variables of the function, in the order in which they are let go of. */
    private final List<Value> locals = new ArrayList<>();

    private CacheMasks(Scope s, CacheStep step, @Nullable Long window) {
        this.s = s;
        this.step = step;
        this.keys = step.keys(window != null);
        this.window = window;
    }

    /** The mask of a kind of layers as the model gets it: made before it is called, or written now. */
    static Optional<Value> given(Scope s, Request request, String kind, @Nullable Long window) {
        CacheStep step = request.stepOrFail();
        if (step.fixed()) {
            return s.isLet(MASK + kind) ? Optional.of(s.given(MASK + kind)) : Optional.empty();
        }
        return write(s, request, window);
    }

    /**
     * Writes the mask of a kind of layers before the model is called, as for a cache that could be compiled for.
     *
     * @return empty where none is needed
     */
    public static Optional<Value> prepare(Scope s, Request request, String kind, @Nullable Long window) {
        Optional<Value> mask = write(s, request, window);
        mask.ifPresent(m -> s.let(MASK + kind, m));
        return mask;
    }

    private static Optional<Value> write(Scope s, Request request, @Nullable Long window) {
        CacheMasks masks = new CacheMasks(s, request.stepOrFail(), window);
        return masks.write(s.given("attention_mask"), request.options().mask() == ModelOptions.Mask.PADDED);
    }

    private Optional<Value> write(Value tokens, boolean padded) {
        Value truths = s.op("aten.to.dtype", "self", tokens, "dtype", DType.BOOL);
        Value mask = truths;
        if (keys.padding() != null) {
            SymExpr[] sides = {SymExpr.of(0), keys.padding()};
            mask = s.op("aten.constant_pad_nd.default", "self", truths, "pad", sides);
        }
        if (keys.padding() != null) {
            locals.add(mask);
        }
        Optional<Value> made = looks(mask, padded) ? Optional.empty() : Optional.of(build(mask));
        locals.add(truths);
        s.use(locals.toArray(Value[]::new));
        return made;
    }

    /** Whether a look at the mask of tokens finds that none is needed; some fixed kinds do not look. */
    private boolean looks(Value mask, boolean padded) {
        if (step.fixed() && !step.prompt()) {
            return false;
        }
        Value counted = mask;
        if (keys.picked()) {
            Value at = shifted(keys.length(), keys.offset());
            counted = s.op("aten.index.Tensor", "self", mask, "indices", columns(at));
            s.use(counted, at);
        }
        switch (keys.look()) {
            case NONE -> {
                return false;
            }
            case ALL -> {
                fastAll(counted);
                if (padded && step.prompt()) {
                    fastAll(s.op("aten.slice.Tensor", "self", counted, "dim", 1, "start", 0, "end", step.queries()));
                }
            }
            default -> {
                fastAll(s.op("aten.slice.Tensor", "self", counted, "dim", 1, "start", 0, "end", step.queries()));
                if (!padded) {
                    Value rest = s.op(
                            "aten.slice.Tensor",
                            "self",
                            counted,
                            "dim",
                            1,
                            "start",
                            step.queries(),
                            "end",
                            Long.MAX_VALUE);
                    fastAll(s.op("aten.bitwise_not.default", "self", rest));
                }
            }
        }
        return !padded;
    }

    private static Argument columns(Value at) {
        return new Argument.Values(Arrays.asList(null, at.name()));
    }

    /** {@code tensor.sum() == tensor.numel()}. */
    private void fastAll(Value mask) {
        Value sum = s.op("aten.sum.default", "self", mask);
        Value same = s.op("aten.eq.Scalar", "self", sum, "other", 1);
        s.use(mask, same);
    }

    private Value build(Value tokens) {
        Value batch = range(Request.BATCH);
        Value head = range(SymExpr.of(1));
        Value queries = shifted(step.queries(), step.past());
        Value all = shifted(keys.length(), keys.offset());
        Value rows = at(batch, 0);
        Value query = at(queries, 2);
        Value key = at(all, 3);
        Value result = truth();
        result = and(result, seen(query, key));
        Value picked = s.op("aten.index.Tensor", "self", tokens, "indices", new Value[] {rows, key});
        result = and(result, picked);
        SymExpr[] sizes = {Request.BATCH, SymExpr.of(-1), step.queries(), keys.length()};
        Value wide = s.op("aten.expand.default", "self", result, "size", sizes);
        locals.addAll(List.of(batch, head, queries, all));
        return wide;
    }

    private Value seen(Value query, Value key) {
        if (window == null) {
            return s.op("aten.le.Tensor", "self", key, "other", query);
        }
        Value inner = truth();
        Value least = s.op("aten.sub.Tensor", "self", query, "other", window);
        inner = and(inner, s.op("aten.gt.Tensor", "self", key, "other", least));
        return and(inner, s.op("aten.le.Tensor", "self", key, "other", query));
    }

    private Value truth() {
        return s.op("aten.ones.default", "size", new long[0], "dtype", DType.BOOL);
    }

    private Value and(Value a, Value b) {
        Value out = s.op("aten.__and__.Tensor", "self", a, "other", b);
        s.use(b, a);
        return out;
    }

    private Value range(SymExpr end) {
        return s.op("aten.arange.default", "end", end, "dtype", DType.INT64);
    }

    private Value shifted(SymExpr count, SymExpr offset) {
        return s.op("aten.add.Tensor", "self", range(count), "other", offset);
    }

    private Value at(Value numbers, int dim) {
        SymExpr[] sizes = {SymExpr.of(1), SymExpr.of(1), SymExpr.of(1), SymExpr.of(1)};
        sizes[dim] = SymExpr.of(-1);
        return s.op("aten.view.default", "self", numbers, "size", sizes);
    }
}
