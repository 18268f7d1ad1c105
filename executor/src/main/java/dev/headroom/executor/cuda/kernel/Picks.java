package dev.headroom.executor.cuda.kernel;

import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Where the elements of an indexed result are in the tensor: {@code struct Picks} of {@code indexing.cu}. The
 * dimensions of the indices stand where the first index does, or at the front when there are others between indices
 * (aten/src/ATen/native/TensorAdvancedIndexing.cpp).
 */
final class Picks {
    private final List<Long> sizes = new ArrayList<>();
    private final List<Long> strides = new ArrayList<>();
    private final List<Tensor> tensors = new ArrayList<>();
    private final List<Long> extents = new ArrayList<>();
    private final List<Long> steps = new ArrayList<>();
    private long[] common = {};
    private int front;

    /** @param indices by dimension of the tensor; {@code null} for all entries */
    Picks(Tensor of, Tensor... indices) {
        int first = -1;
        int last = -1;
        for (int d = 0; d < indices.length; d++) {
            if (indices[d] != null) {
                first = first < 0 ? d : first;
                last = d;
                add(of, d, indices[d]);
            }
        }
        boolean together = last - first + 1 == tensors.size();
        int place = together ? Math.max(0, first) : 0;
        for (int d = 0; d <= of.dims(); d++) {
            if (d == place) {
                front = sizes.size();
                Arrays.stream(common).forEach(size -> put(size, 0));
            }
            if (d < of.dims() && (d >= indices.length || indices[d] == null)) {
                put(of.sizes()[d], of.strides()[d]);
            }
        }
        if (sizes.size() > DeviceView.DIMS || tensors.size() > DeviceView.DIMS) {
            throw DeviceView.tooManyDimensions(sizes.size());
        }
    }

    private void add(Tensor of, int d, Tensor index) {
        if (index.dtype() != DType.INT64) {
            throw new UserInputException("the cuda backend takes 64-bit indices, not "
                    + index.dtype().torchName());
        }
        common = Layout.broadcast(common, index.sizes());
        tensors.add(index);
        extents.add(of.sizes()[d]);
        steps.add(of.strides()[d]);
    }

    private void put(long size, long stride) {
        sizes.add(size);
        strides.add(stride);
    }

    byte[] bytes() {
        int n = DeviceView.DIMS;
        ByteBuffer out = ByteBuffer.allocate((2 + 5 * n + n * n) * Long.BYTES).order(ByteOrder.nativeOrder());
        out.putLong(sizes.size()).putLong(tensors.size());
        row(out, sizes);
        row(out, strides);
        row(out, tensors.stream().map(Tensor::address).toList());
        for (int i = 0; i < n; i++) {
            row(out, i < tensors.size() ? indexStrides(tensors.get(i)) : List.of());
        }
        row(out, extents);
        row(out, steps);
        return out.array();
    }

    /** An index's strides by dimension of the result. */
    private List<Long> indexStrides(Tensor index) {
        Long[] all = new Long[sizes.size()];
        Arrays.fill(all, 0L);
        long[] own = Layout.expanded(index.sizes(), index.strides(), common);
        for (int d = 0; d < own.length; d++) {
            all[front + d] = own[d];
        }
        return List.of(all);
    }

    private static void row(ByteBuffer out, List<Long> values) {
        for (int i = 0; i < DeviceView.DIMS; i++) {
            out.putLong(i < values.size() ? values.get(i) : 0);
        }
    }
}
