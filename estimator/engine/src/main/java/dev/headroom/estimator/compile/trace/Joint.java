package dev.headroom.estimator.compile.trace;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** The joint graph while it is traced: nodes in order, and the calls that append one. */
public final class Joint {
    private final List<Value> nodes = new ArrayList<>();
    private int region;

    /** In order, placeholders among them. */
    public List<Value> nodes() {
        return nodes;
    }

    /** Nodes that follow are in the checkpoint of this number; 0 for none. */
    public void inRegion(int number) {
        region = number;
    }

    /** Appends a node. */
    public Value node(
            Kind kind, String op, String key, DType type, long[] sizes, long[] strides, List<Value> arguments) {
        Value out = new Value(nodes.size(), kind, op, key, arguments, type, sizes, strides, region);
        nodes.add(out);
        return out;
    }

    /** A tensor that the graph is given. */
    public Value placeholder(Kind kind, String name, DType type, long[] sizes, long[] strides) {
        return node(kind, name, "", type, sizes, strides, List.of());
    }

    /** A node with row-major results. */
    public Value make(Kind kind, String op, String key, DType type, long[] sizes, Value... arguments) {
        return node(kind, op, key, type, sizes, Shapes.contiguous(sizes), List.of(arguments));
    }

    /** A call with several results; {@link #item} names them. */
    public Value tuple(Kind kind, String op, String key, Value... arguments) {
        Value first = arguments[0];
        return node(kind, op, key, first.dtype(), first.sizes(), first.strides(), List.of(arguments));
    }

    /** One result of a call that has several. */
    public Value item(Value tuple, DType type, long[] sizes, long[] strides) {
        Value out = node(Kind.ITEM, "getitem", "" + tuple.items().size(), type, sizes, strides, List.of(tuple));
        tuple.addItem(out);
        return out;
    }

    /** One row-major result of a call that has several. */
    public Value item(Value tuple, DType type, long... sizes) {
        return item(tuple, type, sizes, Shapes.contiguous(sizes));
    }

    /** Elementwise over operands that are broadcast, in the layout that TensorIterator gives the result. */
    public Value pointwise(String op, String key, DType type, Value... arguments) {
        long[] sizes = new long[0];
        for (Value a : arguments) {
            sizes = Shapes.broadcast(sizes, a.sizes());
        }
        return node(Kind.POINTWISE, op, key, type, sizes, layout(sizes, arguments), List.of(arguments));
    }

    private static long[] layout(long[] sizes, Value... arguments) {
        List<long[]> strides = new ArrayList<>();
        boolean same = true;
        for (Value a : arguments) {
            long[] seen = Shapes.expandedStrides(a.sizes(), a.strides(), sizes);
            if (!strides.isEmpty()) {
                same &= Arrays.equals(seen, strides.get(0));
            }
            strides.add(seen);
        }
        if (strides.isEmpty() || sizes.length == 0) {
            return Shapes.contiguous(sizes);
        }
        if (same && Shapes.isNonOverlappingAndDense(sizes, strides.get(0))) {
            return strides.get(0);
        }
        return Shapes.denseInOrder(sizes, Shapes.order(sizes, strides.toArray(long[][]::new)));
    }

    /** A tensor of one number. */
    public Value number(String number, DType type) {
        return make(Kind.POINTWISE, "aten.full", number, type, new long[0]);
    }

    /** Zeros in row-major order. */
    public Value zeros(DType type, long... sizes) {
        return make(Kind.POINTWISE, "aten.full", "0", type, sizes);
    }

    /** Other sizes of the same storage. */
    public Value view(String op, String key, Value of, long[] sizes, long[] strides) {
        return node(Kind.VIEW, op, key, of.dtype(), sizes, strides, List.of(of));
    }

    /** {@code reshape}: a view where strides allow it, else of a row-major copy. */
    public Value reshape(Value of, long... sizes) {
        long[] to = Shapes.inferSize(sizes, of.numel());
        if (Arrays.equals(to, of.sizes())) {
            return of;
        }
        long[] strides = Shapes.viewStrides(of.sizes(), of.strides(), to);
        if (strides != null) {
            return view("aten.view", Arrays.toString(to), of, to, strides);
        }
        return reshape(copy(of, Shapes.contiguous(of.sizes())), to);
    }

    /** {@code clone} in a layout. */
    public Value copy(Value of, long[] strides) {
        return node(Kind.POINTWISE, "aten.clone", "", of.dtype(), of.sizes(), strides, List.of(of));
    }

    /** {@code contiguous}. */
    public Value contiguous(Value of) {
        return of.isContiguous() ? of : copy(of, Shapes.contiguous(of.sizes()));
    }

    /** {@code permute}; what it is undone of where it undoes another (joint_graph.py, pointless_permute_pair). */
    public Value permute(Value of, int... dims) {
        if (of.op().equals("aten.permute") && of.key().equals(Arrays.toString(inverse(dims)))) {
            return of.arguments().get(0);
        }
        long[] sizes = new long[dims.length];
        long[] strides = new long[dims.length];
        for (int i = 0; i < dims.length; i++) {
            sizes[i] = of.sizes()[dims[i]];
            strides[i] = of.strides()[dims[i]];
        }
        return view("aten.permute", Arrays.toString(dims), of, sizes, strides);
    }

    private static int[] inverse(int... dims) {
        int[] out = new int[dims.length];
        for (int i = 0; i < dims.length; i++) {
            out[dims[i]] = i;
        }
        return out;
    }

    public Value transpose(Value of, int a, int b) {
        int[] dims = new int[of.dim()];
        Arrays.setAll(dims, i -> i);
        dims[a] = b;
        dims[b] = a;
        return permute(of, dims);
    }

    public Value expand(Value of, long... sizes) {
        if (Arrays.equals(sizes, of.sizes())) {
            return of;
        }
        long[] strides = Shapes.expandedStrides(of.sizes(), of.strides(), sizes);
        return view("aten.expand", Arrays.toString(sizes), of, sizes, strides);
    }

    public Value unsqueeze(Value of, int dim) {
        long[] sizes = new long[of.dim() + 1];
        long[] strides = new long[sizes.length];
        for (int i = 0; i < sizes.length; i++) {
            int from = i < dim ? i : i - 1;
            sizes[i] = i == dim ? 1 : of.sizes()[from];
            strides[i] = i == dim ? dim < of.dim() ? of.sizes()[dim] * of.strides()[dim] : 1 : of.strides()[from];
        }
        return view("aten.unsqueeze", "" + dim, of, sizes, strides);
    }

    /** Without one dimension of size 1, or the value itself where it has another size. */
    public Value squeeze(Value of, int dim) {
        return of.size(dim) == 1 ? select(of, dim, 0, "aten.squeeze") : of;
    }

    public Value select(Value of, int dim, long index) {
        return select(of, dim, index, "aten.select");
    }

    private Value select(Value of, int dim, long index, String op) {
        return view(op, dim + "@" + index, of, without(of.sizes(), dim), without(of.strides(), dim));
    }

    private static long[] without(long[] from, int dim) {
        long[] out = new long[from.length - 1];
        for (int i = 0; i < out.length; i++) {
            out[i] = from[i < dim ? i : i + 1];
        }
        return out;
    }

    public Value slice(Value of, int dim, long start, long end, long step) {
        long size = of.size(dim);
        if (start == 0 && end >= size && step == 1) {
            return of;
        }
        long[] sizes = of.sizes();
        long[] strides = of.strides();
        sizes[dim] = Math.max(0, (Math.min(end, size) - start + step - 1) / step);
        strides[dim] *= step;
        return view("aten.slice", dim + "@" + start + ":" + end + ":" + step, of, sizes, strides);
    }

    /** Reduces dimensions to size 1, or drops them. */
    public Value reduce(String op, Value of, Set<Integer> dims, boolean keep, DType type) {
        long[] sizes = reduced(of.sizes(), dims, keep);
        return make(Kind.REDUCTION, op, dims + "" + keep, type, sizes, of);
    }

    /** Sizes after a reduction. */
    public static long[] reduced(long[] sizes, Set<Integer> dims, boolean keep) {
        List<Long> out = new ArrayList<>();
        for (int i = 0; i < sizes.length; i++) {
            if (!dims.contains(i)) {
                out.add(sizes[i]);
            } else if (keep) {
                out.add(1L);
            }
        }
        return out.stream().mapToLong(n -> n).toArray();
    }

    /** {@code convert_element_type}; the value itself where nothing changes. */
    public Value convert(Value of, DType type) {
        return of.dtype() == type ? of : pointwise("prims.convert_element_type", type.torchName(), type, of);
    }
}
