package dev.headroom.estimator.op.vision;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.Parts;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;

/** Tensors cut into parts, as many as the batch wants, that a Python list holds. */
final class ListedParts {
    private ListedParts() {}

    private static Tensor list(EagerRuntime rt, Tensor... parts) {
        return rt.empty(DType.INT64, 0).listing(parts);
    }

    /** {@code torch.split} into as many rows each. */
    static Tensor rows(Call c) {
        Tensor self = c.tensor("self");
        long[] lengths = Parts.parts(self.size(0), c.integer("rows"));
        return list(c.runtime(), Parts.split(c.runtime(), self, 0, lengths));
    }

    /** Attention of each part to itself: what {@code VisionAttention} does without FlashAttention's own functions. */
    static Tensor attended(Call c, Registry rules) {
        EagerRuntime rt = c.runtime();
        Tensor query = c.tensor("query");
        long[] lengths = repeated(c.integers("lengths"), query.size(2));
        Tensor[] queries = Parts.split(rt, query, 2, lengths);
        Tensor[] keys = Parts.split(rt, c.tensor("key"), 2, lengths);
        Tensor[] values = Parts.split(rt, c.tensor("value"), 2, lengths);
        Tensor[] out = new Tensor[lengths.length];
        boolean eager = c.flag("eager", false);
        for (int i = 0; i < out.length; i++) {
            Body b = new Body(rt, rules);
            out[i] = eager
                    ? plain(b, queries[i], keys[i], values[i], c.flag("train", false))
                    : kernel(b, queries[i], keys[i], values[i]);
        }
        Tensor list = list(rt, out);
        rt.freeAll(Arrays.asList(out));
        return list;
    }

    /** The parts of one image, over and over. */
    private static long[] repeated(long[] ofImage, long total) {
        int images = Math.toIntExact(total / Arrays.stream(ofImage).sum());
        long[] all = new long[images * ofImage.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = ofImage[i % ofImage.length];
        }
        return all;
    }

    private static Tensor kernel(Body b, Tensor query, Tensor key, Tensor value) {
        Tensor attended = b.let(b.call("scaled_dot_product_attention", query, key, value));
        return b.give(b.call("contiguous", b.call("transpose.int", attended, 1, 2)));
    }

    /** {@code eager_attention_forward}. */
    private static Tensor plain(Body b, Tensor query, Tensor key, Tensor value, boolean train) {
        Tensor products = b.call("matmul", query, b.call("transpose.int", key, 2, 3));
        Tensor weights = b.let(b.call("mul.Tensor", products, 1.0));
        Tensor wide = b.call("softmax.int", weights, -1, DType.FLOAT32);
        Tensor shares = b.let(b.call("to.dtype", wide, query.dtype()));
        b.drop(weights);
        Tensor dropped = b.let(b.call("dropout", shares, 0.0, train));
        if (dropped != shares) {
            b.drop(shares);
        }
        Tensor attended = b.let(b.call("matmul", dropped, value));
        Tensor turned = b.let(b.call("contiguous", b.call("transpose.int", attended, 1, 2)));
        if (turned != attended) {
            b.drop(attended);
        }
        return b.give(turned);
    }
}
