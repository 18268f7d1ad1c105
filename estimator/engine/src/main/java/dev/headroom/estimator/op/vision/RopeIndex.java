package dev.headroom.estimator.op.vision;

import dev.headroom.estimator.op.core.Joining;
import dev.headroom.estimator.op.core.NonZeroScratch;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.repeat.Remembered;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/**
 * {@code get_rope_index}: positions in time, height and width of the tokens of each sequence, which is a text, an image
 * and a text (transformers, models/qwen2_vl/modeling_qwen2_vl.py). Gives them and how far they are behind the tokens'
 * numbers, which the model keeps as its attribute until the next ones are there.
 */
final class RopeIndex {
    /** What the model's attribute holds. */
    private static final class Kept implements Remembered {
        private @Nullable Tensor deltas;
    }

    private final EagerRuntime rt;
    private final long batch;
    private final long seq;
    private final long before;
    private final long rows;
    private final long columns;
    private final long padding;
    private final boolean masked;
    private final DType idType;
    private final DType kindType;

    /** Variables of the loop over sequences, which keep their values until the next round gives them others. */
    private @Nullable Tensor position;

    private Tensor[] listed = {};
    private @Nullable Tensor ids;
    private @Nullable Tensor kinds;
    private @Nullable Tensor image;
    private @Nullable Tensor all;

    RopeIndex(Call c) {
        rt = c.runtime();
        Tensor ids = c.tensor("input_ids");
        batch = ids.size(0);
        seq = ids.size(1);
        before = c.integer("before");
        rows = c.integer("rows");
        columns = c.integer("columns");
        masked = c.has("mask");
        padding = c.integer("padding", 0);
        idType = ids.dtype();
        kindType = c.tensor("kinds").dtype();
    }

    Tensor[] run() {
        Tensor positions = rt.empty(DType.INT64, 3, batch, seq);
        Tensor[] behind = new Tensor[Math.toIntExact(batch)];
        for (int i = 0; i < batch; i++) {
            behind[i] = sequence(i == 0 ? seq - padding : seq);
        }
        Tensor deltas = rt.empty(DType.INT64, batch, 1);
        for (int i = behind.length - 1; i >= 0; i--) {
            rt.free(behind[i]);
        }
        rt.free(ids);
        rt.free(kinds);
        rt.free(position);
        dropList();
        rt.free(image);
        rt.free(all);
        Kept kept = rt.workspaces().remembered(Kept.class, Kept::new);
        rt.release(kept.deltas);
        kept.deltas = rt.hold(deltas);
        return new Tensor[] {positions, deltas};
    }

    private void dropList() {
        for (int i = listed.length - 1; i >= 0; i--) {
            if (listed[i] != image) {
                rt.free(listed[i]);
            }
        }
    }

    /** @param tokens of it that are no padding */
    private Tensor sequence(long tokens) {
        if (masked) {
            rt.free(ids);
            rt.free(kinds);
            Tensor places = places(tokens);
            ids = rt.empty(idType, tokens);
            dropPlaces(places);
            places = places(tokens);
            kinds = rt.empty(kindType, tokens);
            dropPlaces(places);
        }
        rt.free(position);
        position = null;
        dropList();
        Tensor first = text(before);
        Tensor old = image;
        image = image();
        rt.free(old);
        rt.free(rt.empty(DType.BOOL)); // max(height, width)
        Tensor longest = rt.empty(DType.INT64);
        position = rt.empty(DType.INT64);
        rt.free(longest);
        long rest = tokens - before - rows * columns;
        listed = rest > 0 ? new Tensor[] {first, image, text(rest)} : new Tensor[] {first, image};
        Tensor joined = Joining.cat(rt, 1, listed);
        rt.free(all);
        all = joined;
        if (masked) { // position_ids[:, batch_idx, mask] = llm_positions
            dropPlaces(places(tokens));
        }
        Tensor highest = rt.empty(DType.INT64);
        Tensor next = rt.empty(DType.INT64);
        rt.free(highest);
        Tensor behind = rt.empty(DType.INT64);
        rt.free(next);
        return behind;
    }

    private @Nullable Tensor chosen;

    /** Places of a mask of a sequence, which is made truths first. */
    private Tensor places(long tokens) {
        chosen = rt.empty(DType.BOOL, seq);
        NonZeroScratch.use(rt, seq);
        return rt.empty(DType.INT64, tokens, 1);
    }

    private void dropPlaces(Tensor places) {
        rt.free(places);
        rt.free(chosen);
    }

    private Tensor text(long tokens) {
        Tensor numbers = rt.empty(DType.INT64, tokens);
        Tensor out = rt.empty(DType.INT64, 3, tokens);
        rt.free(numbers);
        return out;
    }

    /** {@code get_vision_position_ids} of the model. */
    private Tensor image() {
        Tensor[] axes = {moved(1), moved(rows), moved(columns)};
        Tensor out = rt.empty(DType.INT64, 3, rows * columns);
        for (Tensor axis : axes) {
            rt.free(axis);
        }
        return out;
    }

    private Tensor moved(long n) {
        Tensor numbers = rt.empty(DType.INT64, n);
        Tensor out = rt.empty(DType.INT64, n);
        rt.free(numbers);
        return out;
    }
}
