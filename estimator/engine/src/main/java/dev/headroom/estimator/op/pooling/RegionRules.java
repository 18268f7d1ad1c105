package dev.headroom.estimator.op.pooling;

import dev.headroom.estimator.op.core.Autocast;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/**
 * Regions of images that torchvision pools (torchvision/csrc/ops/cuda/roi_align_kernel.cu and its neighbours;
 * torchvision/_autograd_registrations.py for what is saved and for autocast).
 */
public final class RegionRules {
    private RegionRules() {}

    public static void register(Registry r) {
        r.single("torchvision.roi_align", c -> pooled(c, c.tensor("input").size(1), false)[0]);
        r.add("torchvision.roi_pool", c -> pooled(c, c.tensor("input").size(1), true));
        r.add("torchvision.ps_roi_align", c -> pooled(c, channels(c), true));
        r.add("torchvision.ps_roi_pool", c -> pooled(c, channels(c), true));
        r.add("torchvision._cuda_version", c -> new Tensor[0]);
    }

    private static long channels(Call c) {
        return c.tensor("input").size(1) / (c.integer("pooled_height") * c.integer("pooled_width"));
    }

    /**
     * Reads images of N×C×H×W and K regions of five numbers each; makes K×channels×height×width.
     *
     * @param places whether it notes where each result came from, in a second one of int32, for the backward pass
     */
    private static Tensor[] pooled(Call c, long channels, boolean places) {
        EagerRuntime rt = c.runtime();
        Tensor given = c.tensor("input");
        DType type = given.dtype();
        Tensor x = Autocast.float32(rt, given);
        Tensor regions = Autocast.float32(rt, c.tensor("rois"));
        Recorder r = rt.record("RoiPoolBackward", x);
        Saved rois = r.save(regions);
        long[] images = x.sizes();
        long[] sizes = {regions.size(0), channels, c.integer("pooled_height"), c.integer("pooled_width")};
        Tensor out = rt.empty(x.dtype(), sizes);
        Tensor from = places ? rt.empty(DType.INT32, sizes) : null;
        Saved origin = r.save(from);
        Tensor dense = Copies.contiguous(rt, x);
        Tensor denseRegions = Copies.contiguous(rt, regions);
        rt.freeUnless(dense, x);
        rt.freeUnless(denseRegions, regions);
        Tensor result = r.gradient(0, g -> {
                    Tensor gx = rt.empty(g.dtype(), images);
                    Tensor again = Copies.contiguous(rt, rois.get());
                    rt.freeUnless(again, rois.get());
                    origin.getOrNull();
                    return gx;
                })
                .output(out);
        rt.freeUnless(x, given);
        Tensor cast = Copies.to(rt, result, type);
        rt.freeUnless(result, cast);
        return from == null ? new Tensor[] {cast} : new Tensor[] {cast, from};
    }
}
