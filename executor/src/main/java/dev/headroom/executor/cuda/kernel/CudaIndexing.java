package dev.headroom.executor.cuda.kernel;

import dev.headroom.executor.cuda.runtime.CudaKernel;
import dev.headroom.executor.cuda.runtime.LaunchShape;
import dev.headroom.executor.kernel.BagCall;
import dev.headroom.executor.kernel.ClassLossCall;
import dev.headroom.executor.kernel.IndexingKernels;
import dev.headroom.executor.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Indexing by kernels of the project's own; where several values go to one element, their order is open. */
public final class CudaIndexing implements IndexingKernels {
    private static final int LOSS_THREADS = 1024;
    private static final int ALIGN_THREADS = 256;

    private final KernelFiles kernels;

    public CudaIndexing(KernelFiles kernels) {
        this.kernels = kernels;
    }

    private CudaKernel kernel(String name, Tensor t) {
        return kernels.kernel("indexing", name, t.dtype());
    }

    private static LaunchShape each(Tensor t) {
        return LaunchShape.elements(t.elements());
    }

    @Override
    public void index(Tensor result, Tensor x, Tensor[] indices) {
        kernel("pick", x)
                .launch(
                        each(result),
                        result.elements(),
                        DeviceView.of(result),
                        x.address(),
                        new Picks(x, indices).bytes());
    }

    @Override
    public void indexAdd(Tensor into, Tensor[] indices, Tensor values, double factor) {
        kernel("pick_add", into)
                .launch(
                        each(values),
                        values.elements(),
                        into.address(),
                        DeviceView.of(values),
                        new Picks(into, indices).bytes(),
                        factor);
    }

    @Override
    public void indexPut(Tensor into, Tensor[] indices, Tensor values) {
        kernel("pick_put", into)
                .launch(
                        each(values),
                        values.elements(),
                        into.address(),
                        DeviceView.of(values),
                        new Picks(into, indices).bytes());
    }

    @Override
    public void gather(Tensor result, Tensor x, int dim, Tensor index) {
        kernel("gather", x)
                .launch(
                        each(index),
                        index.elements(),
                        dim,
                        DeviceView.of(result),
                        DeviceView.of(x),
                        DeviceView.of(index));
    }

    @Override
    public void scatterAdd(Tensor into, int dim, Tensor index, Tensor values) {
        kernel("scatter_add", into)
                .launch(
                        each(index),
                        index.elements(),
                        dim,
                        DeviceView.of(into),
                        DeviceView.of(index),
                        DeviceView.of(values.address(), index.sizes(), values.strides()));
    }

    @Override
    public void scatter(Tensor into, int dim, Tensor index, Tensor values) {
        boolean number = !values.onDevice();
        kernel("scatter", into)
                .launch(
                        each(index),
                        index.elements(),
                        dim,
                        DeviceView.of(into),
                        DeviceView.of(index),
                        number ? DeviceView.none() : DeviceView.of(values.address(), index.sizes(), values.strides()),
                        values.number());
    }

    @Override
    public void scatterCombine(Combine how, Tensor into, int dim, Tensor index, Tensor values) {
        kernel("scatter_combine", into)
                .launch(
                        each(index),
                        index.elements(),
                        how.ordinal(),
                        dim,
                        DeviceView.of(into),
                        DeviceView.of(index),
                        DeviceView.of(values.address(), index.sizes(), values.strides()));
    }

    @Override
    public void search(Tensor places, Tensor lines, Tensor values, boolean after) {
        long each = lines.dims() == 1 ? Math.max(1, values.elements()) : values.size(-1);
        kernels.kernel("search", "search", lines.dtype(), places.dtype())
                .launch(
                        each(values),
                        values.elements(),
                        after ? 1 : 0,
                        each,
                        lines.size(-1),
                        DeviceView.of(places),
                        DeviceView.of(lines),
                        DeviceView.of(values));
    }

    private CudaKernel bags(String name, Tensor table) {
        return kernels.kernel("bags", name, table.dtype());
    }

    /** The kernels' {@code struct Bags}. */
    private static byte[] bytes(BagCall call) {
        return ByteBuffer.allocate(7 * Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(call.indices().address())
                .putLong(call.offsets().address())
                .putLong(DeviceView.address(call.factors()))
                .putLong(call.indices().elements())
                .putLong(call.offsets().elements())
                .putLong(call.padding())
                .putLong(call.mode().ordinal())
                .array();
    }

    @Override
    public void bags(BagCall call, Tensor result, Tensor weight, Tensor bagOf, Tensor sizes, Tensor largest) {
        bags("bags", weight)
                .launch(
                        each(result),
                        result.elements(),
                        bytes(call),
                        result.address(),
                        weight.address(),
                        weight.size(1),
                        bagOf.address(),
                        sizes.address(),
                        largest.address());
    }

    @Override
    public void bagsBackward(BagCall call, Tensor gradient, Tensor g, Tensor bagOf, Tensor sizes, Tensor largest) {
        boolean max = call.mode() == BagCall.Mode.MAX;
        long n = (max ? g.size(0) : call.indices().elements()) * g.size(1);
        bags("bags_backward", gradient)
                .launch(
                        LaunchShape.elements(n),
                        n,
                        bytes(call),
                        gradient.address(),
                        DeviceView.of(g),
                        g.size(1),
                        bagOf.address(),
                        sizes.address(),
                        largest.address());
    }

    @Override
    public void bagFactorsBackward(BagCall call, Tensor gradient, Tensor g, Tensor weight, Tensor bagOf) {
        bags("bag_factors_backward", weight)
                .launch(
                        each(gradient),
                        gradient.elements(),
                        bytes(call),
                        gradient.address(),
                        DeviceView.of(g),
                        weight.address(),
                        weight.size(1),
                        bagOf.address());
    }

    @Override
    public void range(Tensor result, double start, double step) {
        kernel("range", result).launch(each(result), result.elements(), DeviceView.of(result), start, step);
    }

    @Override
    public void triangle(Tensor result, Tensor x, long diagonal, boolean upper) {
        kernel("triangle", x)
                .launch(each(x), x.elements(), DeviceView.of(result), DeviceView.of(x), diagonal, upper ? 1 : 0);
    }

    @Override
    public void classLoss(ClassLossCall call, Tensor scores, Tensor result) {
        kernels.kernel("losses", "class_loss", scores.dtype(), result.dtype())
                .launch(
                        LaunchShape.of(1, LOSS_THREADS),
                        call.target().elements(),
                        classes(call),
                        DeviceView.of(result),
                        call.totalWeight().address(),
                        DeviceView.of(scores),
                        DeviceView.of(call.target()),
                        DeviceView.address(call.weight()));
    }

    @Override
    public void classLossBackward(ClassLossCall call, Tensor g, Tensor gradient) {
        kernels.kernel("losses", "class_loss_gradient", gradient.dtype(), g.dtype())
                .launch(
                        each(call.target()),
                        call.target().elements(),
                        classes(call),
                        DeviceView.of(gradient),
                        DeviceView.of(g),
                        DeviceView.of(call.target()),
                        DeviceView.address(call.weight()),
                        call.totalWeight().address());
    }

    /** The kernels' {@code struct Classes}. */
    private static byte[] classes(ClassLossCall call) {
        return ByteBuffer.allocate(3 * Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(call.ignored())
                .putLong(call.each() ? 1 : 0)
                .putLong(call.mean() ? 1 : 0)
                .array();
    }

    @Override
    public void align(Alignment of, Tensor logs, Tensor alpha, Tensor losses) {
        kernels.kernel("alignments", "align", logs.dtype())
                .launch(
                        LaunchShape.of((int) logs.size(1), ALIGN_THREADS),
                        targets(of),
                        DeviceView.of(logs),
                        DeviceView.of(alpha),
                        losses.address());
    }

    @Override
    public void alignBack(Alignment of, Tensor logs, Tensor beta) {
        kernels.kernel("alignments", "align_back", logs.dtype())
                .launch(
                        LaunchShape.of((int) logs.size(1), ALIGN_THREADS),
                        targets(of),
                        DeviceView.of(logs),
                        DeviceView.of(beta));
    }

    @Override
    public void alignGradient(
            Alignment of,
            Tensor[] tables,
            Tensor logs,
            Tensor losses,
            Tensor g,
            Tensor gradient,
            boolean blanks,
            boolean spared) {
        long n = logs.size(0) * logs.size(1);
        kernels.kernel("alignments", "align_gradient", logs.dtype())
                .launch(
                        LaunchShape.elements(n),
                        n,
                        targets(of),
                        DeviceView.of(logs),
                        DeviceView.of(tables[0]),
                        DeviceView.of(tables[1]),
                        losses.address(),
                        DeviceView.of(g),
                        DeviceView.of(gradient),
                        blanks ? 1 : 0,
                        spared ? 1 : 0);
    }

    /** The kernels' {@code struct Targets}. */
    private static byte[] targets(Alignment of) {
        return ByteBuffer.allocate(6 * Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(of.targets().address())
                .putLong(of.begins().address())
                .putLong(of.targetLengths().address())
                .putLong(of.inputLengths().address())
                .putLong(of.stride())
                .putLong(of.blank())
                .array();
    }

    @Override
    public void maskedScatter(Tensor result, Tensor mask, Tensor counts, Tensor source) {
        kernels.kernel("masks", "masked_scatter", result.dtype())
                .launch(
                        each(result),
                        result.elements(),
                        DeviceView.of(result),
                        DeviceView.of(mask, result.sizes()),
                        counts.address(),
                        DeviceView.of(source),
                        source.elements());
    }

    /** One after the other, by one thread. */
    @Override
    public void maskedTake(Tensor line, Tensor mask, Tensor x) {
        kernels.kernel("masks", "masked_take", x.dtype())
                .launch(
                        LaunchShape.elements(1),
                        x.elements(),
                        DeviceView.of(line),
                        DeviceView.of(mask, x.sizes()),
                        DeviceView.of(x),
                        line.elements());
    }
}
