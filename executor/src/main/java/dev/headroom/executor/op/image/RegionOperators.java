package dev.headroom.executor.op.image;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.PoolingKernels.RegionKind;
import dev.headroom.executor.kernel.PoolingKernels.Regions;
import dev.headroom.executor.op.basic.Autocast;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/**
 * Regions of images that torchvision pools (torchvision/csrc/ops/cuda; torchvision/_autograd_registrations.py for what
 * is saved and for autocast).
 */
public final class RegionOperators {
    private RegionOperators() {}

    public static void register(Operators o) {
        o.add("torchvision._cuda_version", (e, a) -> new Tensor[0]);
        o.add1("torchvision.roi_align", (e, a) -> pooled(e, a, RegionKind.ALIGN)[0]);
        o.add("torchvision.roi_pool", (e, a) -> pooled(e, a, RegionKind.GREATEST));
        o.add("torchvision.ps_roi_align", (e, a) -> pooled(e, a, RegionKind.ALIGN_OF_CHANNELS));
        o.add("torchvision.ps_roi_pool", (e, a) -> pooled(e, a, RegionKind.MEAN_OF_CHANNELS));
    }

    private static Tensor[] pooled(Eager e, Arguments a, RegionKind kind) {
        Tensor given = a.tensor("input");
        Tensor x = Autocast.widened(e, given);
        Tensor regions = Autocast.widened(e, a.tensor("rois"));
        long high = a.integer("pooled_height", 1);
        long wide = a.integer("pooled_width", 1);
        boolean ofChannels = kind == RegionKind.ALIGN_OF_CHANNELS || kind == RegionKind.MEAN_OF_CHANNELS;
        long channels = ofChannels ? x.size(1) / (high * wide) : x.size(1);
        Regions how =
                new Regions(kind, a.real("spatial_scale", 1), a.integer("sampling_ratio", 0), a.flag("aligned", false));
        Recorder r = e.record("RoiPoolBackward", x);
        SavedTensor rois = r.save(regions);
        long[] sizes = {regions.size(0), channels, high, wide};
        long[] images = x.sizes();
        Tensor out = e.empty(x.dtype(), sizes);
        Tensor places = kind == RegionKind.ALIGN ? null : e.empty(DType.INT32, sizes);
        SavedTensor origin = r.save(places);
        Tensor packed = Copies.packed(e, x);
        Tensor packedRegions = Copies.packed(e, regions);
        e.backend().poolings().regions(out, places, packed, packedRegions, how);
        e.freeUnless(packed, x);
        e.freeUnless(packedRegions, regions);
        r.backward(g -> {
            Tensor gradX = e.empty(g[0].dtype(), images);
            Copies.clear(e, gradX);
            Tensor again = Copies.packed(e, rois.get());
            Tensor from = kind == RegionKind.GREATEST ? origin.get() : null;
            e.backend().poolings().regionsBackward(gradX, g[0], from, again, how);
            e.freeUnless(again, rois.get());
            return new Tensor[] {gradX};
        });
        r.output(out);
        e.freeUnless(regions, a.tensor("rois"));
        e.freeUnless(x, given);
        Tensor result = Copies.to(e, out, given.dtype());
        e.freeUnless(out, result);
        return places == null ? new Tensor[] {result} : new Tensor[] {result, places};
    }
}
