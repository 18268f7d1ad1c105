package dev.headroom.estimator.op.indexing;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** {@code index_reduce} (ATen/native/cuda/Indexing.cu, index_reduce_func_cuda_impl); {@link IndexReduceBackward}. */
final class IndexReduce {
    private IndexReduce() {}

    static void register(Registry r) {
        r.single("aten.index_reduce", c -> run(new Body(c.runtime(), r), c, false));
        r.single("aten.index_reduce_", c -> run(new Body(c.runtime(), r), c, true));
    }

    private static Tensor run(Body b, Call c, boolean inPlace) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Tensor source = c.tensor("source");
        String reduce = c.text("reduce", "");
        boolean included = c.flag("include_self", true);
        long dim = c.integer("dim");
        Recorder r = rt.record("IndexReduceBackward0", t, source);
        Saved index = r.save(c.tensor("index"));
        Saved self = inPlace && r.records() ? r.saveCopy(Copies.clone(rt, t)) : r.save(t);
        Saved src = r.save(source);
        Tensor out = inPlace ? t : rt.empty(t.dtype(), t.sizes());
        if (reduce.equals("mean")) {
            Tensor counts = rt.emptyLike(t);
            rt.free(rt.emptyLike(source));
            rt.free(rt.empty(DType.BOOL, t.sizes()));
            rt.free(counts);
        }
        Saved result = r.saveOutput(out);
        return r.gradients(grads -> {
                    if (grads[0] == null) {
                        return new Tensor[2];
                    }
                    var backward = new IndexReduceBackward(b.another(), grads[0], self, index, src, dim, included);
                    return switch (reduce) {
                        case "prod" -> backward.ofProduct(result.get());
                        case "mean" -> backward.ofMean();
                        default -> backward.ofExtremum(result.get());
                    };
                })
                .output(out);
    }
}
