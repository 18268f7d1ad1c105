package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.HashMap;
import java.util.Map;

/**
 * {@code past_key_values.update(…)}: the keys and values of a layer so far (transformers, cache_utils.py). Between two
 * passes they are variables of the program.
 */
public final class KeyValueCache {
    private static final String CAT = "aten.cat.default";

    private final Scope s;
    private final CacheStep step;
    private final CacheStep.Keys kind;
    private final String layer;

    /** What this pass has made of the layer's variables. */
    private final Map<String, Value> made = new HashMap<>();

    private KeyValueCache(Scope s, CacheStep step, CacheStep.Keys kind, int layer) {
        this.s = s;
        this.step = step;
        this.kind = kind;
        this.layer = "past_key_values_" + layer;
    }

    /**
     * Keys and values as attention takes them: with those of a pass of {@code generate()} before, or as outputs that
     * hold a cache keep them, or as they are.
     *
     * @return keys, values
     */
    public static Value[] kept(Scope s, Request request, AttentionShape shape, Pass pass, Value keys, Value values) {
        CacheStep step = request.step();
        if (step != null) {
            s.line("keys, values = past_key_values.update(keys, values, self.layer_idx)");
            return update(s, step, shape, pass.nextLayer(), keys, values);
        }
        if (request.prefix() > 0) {
            return GivenKeys.joined(s, request, shape, pass, keys, values);
        }
        if (!request.caches()) {
            return new Value[] {keys, values};
        }
        s.line("keys, values = past_key_values.update(keys, values, self.layer_idx)");
        Argument like = new Argument.TypeOf(keys.name());
        Value none = s.op("aten.empty.memory_format", "size", new long[] {0}, "dtype", like);
        if (shape.window() != Masks.NO_WINDOW) { // the cache's own note of the window
            pass.cache(s.op("aten.full.default", "size", new long[0], "fill_value", 1, "dtype", DType.INT64));
        }
        Value allKeys = s.op("aten.cat.default", "tensors", new Value[] {none, keys}, "dim", -2);
        Value allValues = s.op("aten.cat.default", "tensors", new Value[] {none, values}, "dim", -2);
        pass.cache(allKeys);
        pass.cache(allValues);
        return new Value[] {allKeys, allValues};
    }

    /**
     * Writes the update of a layer.
     *
     * @param layer its number
     * @return keys and values that the layer's queries see
     */
    static Value[] update(Scope s, CacheStep step, AttentionShape shape, int layer, Value keys, Value values) {
        KeyValueCache cache = new KeyValueCache(s, step, step.keys(shape.window() != Masks.NO_WINDOW), layer);
        if (step.fixed() && step.prompt()) {
            cache.makeRoom(shape, keys, values);
        }
        return cache.write(keys, values);
    }

    private Value kept(String part) {
        Value own = made.get(part);
        return own == null ? s.variable(layer + "_" + part) : own;
    }

    private Value keep(String part, Value value) {
        made.put(part, value);
        s.bind(layer + "_" + part, value);
        return value;
    }

    private Value[] write(Value keys, Value values) {
        return switch (kind.update()) {
            case JOIN -> join(keys, values);
            case JOIN_AND_CUT -> joinAndCut(keys, values);
            case PLACE -> place(keys, values);
            case COPY_LAST -> copyLast(keys, values);
            case ROLL -> roll(keys, values);
        };
    }

    /** {@code torch.tensor([])} is there before the first, and takes nothing. */
    private Value joined(String part, Value added) {
        Value[] all = step.prompt() ? new Value[] {added} : new Value[] {kept(part), added};
        return s.op(CAT, "tensors", all, "dim", -2);
    }

    private Value[] join(Value keys, Value values) {
        Value allKeys = keep("keys", joined("keys", keys));
        Value allValues = keep("values", joined("values", values));
        return new Value[] {allKeys, allValues};
    }

    private Value[] joinAndCut(Value keys, Value values) {
        if (step.prompt()) {
            keep("window", s.op("aten.scalar_tensor.default", "s", 0, "dtype", DType.INT64));
        }
        Value allKeys = joined("keys", keys);
        Value allValues = joined("values", values);
        cut("keys", allKeys);
        cut("values", allValues);
        return new Value[] {allKeys, allValues};
    }

    /** All but the last token of the window are kept, as a part of the joined ones. */
    private void cut(String part, Value all) {
        keep(part, last(all, kind.room() - 1));
    }

    private Value last(Value of, long tokens) {
        return s.op("aten.slice.Tensor", "self", of, "dim", 2, "start", -tokens, "end", Long.MAX_VALUE);
    }

    /** StaticLayer.lazy_initialization: room for all, and a count on the device. */
    private void makeRoom(AttentionShape shape, Value keys, Value values) {
        roomFor("keys", shape.keys(), shape.size(), keys);
        roomFor("values", shape.keys(), shape.size(), values);
        keep("length", s.op("aten.scalar_tensor.default", "s", 0, "dtype", DType.INT64));
    }

    private void roomFor(String part, long heads, long size, Value like) {
        SymExpr[] sizes = {Request.BATCH, SymExpr.of(heads), SymExpr.of(kind.room()), SymExpr.of(size)};
        keep(part, s.op("aten.new_zeros.default", "self", like, "size", sizes));
    }

    /** Keys and values are copied to where the next tokens belong. */
    private Value[] place(Value keys, Value values) {
        Value[] own = own();
        Value counted = s.op("aten.arange.default", "end", step.queries(), "dtype", DType.INT64);
        Value at = s.op("aten.add.Tensor", "self", counted, "other", kept("length"));
        into(own[0], at, keys);
        into(own[1], at, values);
        return own;
    }

    private Value[] own() {
        return new Value[] {kept("keys"), kept("values")};
    }

    private void into(Value own, Value at, Value added) {
        s.op("aten.index_copy_.default", "self", own, "dim", 2, "index", at, "source", added);
    }

    /** The queries of the prompt see all of it; later ones what was kept. */
    private Value[] copyLast(Value keys, Value values) {
        Value[] own = own();
        copy(own[0], last(keys, kind.room()));
        copy(own[1], last(values, kind.room()));
        return new Value[] {keys, values};
    }

    private void copy(Value own, Value from) {
        s.op("aten.copy_.default", "self", own, "src", from);
    }

    /** Moved copies are made of both, and copied back. */
    private Value[] roll(Value keys, Value values) {
        Value[] own = own();
        Value movedKeys = rolled(own[0]);
        Value movedValues = rolled(own[1]);
        Value last = s.op("aten.scalar_tensor.default", "s", -1, "dtype", DType.INT64);
        into(movedKeys, last, keys);
        into(movedValues, last, values);
        copy(own[0], movedKeys);
        copy(own[1], movedValues);
        s.use(movedKeys, movedValues, last);
        return own;
    }

    private Value rolled(Value own) {
        return s.op("aten.roll.default", "self", own, "shifts", new long[] {-1}, "dims", new long[] {-2});
    }
}
