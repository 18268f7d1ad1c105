package dev.headroom.estimator.op.indexing;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;

/**
 * {@code isin} (ATen/native/TensorCompare.cpp, isin_Tensor_Tensor_out and isin_sorting; cuda/TensorCompare.cu,
 * isin_default_kernel_gpu): few values are compared with every element, many are sorted with the elements.
 */
final class Membership {
    private static final float FACTOR = 10;
    private static final double POWER = 0.145;

    private Membership() {}

    static void register(Registry r) {
        r.single("aten.isin.Tensor_Tensor", c -> isIn(new Body(c.runtime(), r), c, c.tensor("elements")));
        r.single(
                "aten.isin.Tensor_Scalar",
                c -> Strided.result(c.runtime(), DType.BOOL, c.tensor("elements"), c.tensor("test_element")));
        r.single("aten.isin.Scalar_Tensor", c -> {
            EagerRuntime rt = c.runtime();
            boolean real = c.isFloat("element");
            Tensor element = rt.empty(real ? c.tensor("test_elements").dtype() : DType.INT64);
            Tensor out = isIn(new Body(rt, r), c, element);
            rt.free(element);
            return out;
        });
    }

    private static Tensor isIn(Body b, Call c, Tensor elements) {
        EagerRuntime rt = c.runtime();
        Tensor tests = c.tensor("test_elements");
        Tensor out = rt.empty(DType.BOOL, elements.sizes());
        boolean inverted = c.flag("invert", false);
        if (elements.numel() == 0) {
            return out;
        }
        if (tests.numel() < (long) (FACTOR * (float) Math.pow((double) elements.numel(), POWER))) {
            long[] line = new long[elements.dim() + 1];
            Arrays.fill(line, 1);
            line[line.length - 1] = -1;
            Tensor wide = b.call("unsqueeze", elements, -1);
            Tensor equal = b.call(inverted ? "ne.Tensor" : "eq.Tensor", wide, b.call("view", tests, line));
            b.call(inverted ? "all.dim" : "any.dim", equal, -1);
            b.end();
            return out;
        }
        if (!c.flag("assume_unique", false)) {
            throw new NoRule("how many of many values differ is in the data");
        }
        sorted(b, elements, tests, inverted);
        return out;
    }

    private static void sorted(Body b, Tensor elements, Tensor tests, boolean inverted) {
        EagerRuntime rt = b.runtime();
        Tensor first = b.let(b.call("ravel", elements));
        Tensor second = b.let(b.call("ravel", tests));
        Tensor all = b.let(b.call("cat", (Object) new Tensor[] {first, second}, 0));
        b.drop(second);
        b.drop(first);
        long n = all.numel();
        Tensor[] pair = b.all("sort.stable", all, true, 0, false);
        b.giveAll(pair[0], pair[1], all);
        Tensor twice = rt.empty(DType.BOOL, n);
        Tensor low = b.call("slice.Tensor", pair[0], 0, 0, n - 1);
        Tensor high = b.call("slice.Tensor", pair[0], 0, 1, n);
        b.call(inverted ? "ne.Tensor" : "eq.Tensor", high, low);
        b.end();
        Tensor mask = rt.empty(DType.BOOL, n);
        rt.free(mask);
        rt.free(twice);
        rt.free(pair[0]);
        rt.free(pair[1]);
        rt.free(all);
    }
}
