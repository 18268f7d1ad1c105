package dev.headroom.model.compiled;

import dev.headroom.model.graph.Shapes;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Matrix products of generated code that tensor cores would take padded, where no graph before it says them. */
final class Products {
    private static final String EXTERN = "extern_kernels.";

    private final Map<String, TensorMeta> known;

    private Products(CompiledCode code) {
        known = new HashMap<>(code.inputs());
        known.putAll(code.buffers());
    }

    /** From the last to the first, as Inductor's patterns look for them; each size once. */
    static List<Product> of(CompiledCode code) {
        return new Products(code).found(code.statements());
    }

    private List<Product> found(List<Statement> statements) {
        List<Product> out = new ArrayList<>();
        for (Statement s : statements) {
            if (s instanceof Statement.Allocate a) {
                known.put(a.name(), a.shape());
            } else if (s instanceof Statement.Alias a && known.containsKey(a.of())) {
                known.putIfAbsent(a.name(), known.get(a.of()));
            } else if (s instanceof Statement.Extern e) {
                add(e, out);
            }
        }
        Collections.reverse(out);
        Set<Product> once = new LinkedHashSet<>(out);
        return List.copyOf(once);
    }

    /** Operands are views, so that their sizes follow from those of the result. */
    private void add(Statement.Extern call, List<Product> out) {
        List<String> given = call.arguments();
        boolean adds = call.function().equals(EXTERN + "addmm");
        boolean multiplies =
                call.function().equals(EXTERN + "mm") || call.function().equals(EXTERN + "bmm");
        if (!adds && !multiplies || given.size() < (adds ? 4 : 3)) {
            return;
        }
        TensorMeta right = known.get(given.get(adds ? 2 : 1));
        TensorMeta result = known.get(given.get(given.size() - 1));
        if (right == null || result == null || result.sizes().size() < 2 || Shapes.numel(sizes(result)) == 0) {
            return;
        }
        long[] sizes = sizes(result);
        int dims = sizes.length;
        long batches = Shapes.numel(sizes) / (sizes[dims - 1] * sizes[dims - 2]);
        long depth = Shapes.numel(sizes(right)) / (batches * sizes[dims - 1]);
        long[] left = sizes.clone();
        left[dims - 1] = depth;
        long[] other = sizes.clone();
        other[dims - 2] = depth;
        TensorMeta wide = like(result, left);
        TensorMeta tall = like(result, other);
        if (Padding.of(wide, tall).any()) {
            TensorMeta added = adds ? known.get(given.get(0)) : null;
            out.add(new Product(wide, tall, added));
        }
    }

    private static long[] sizes(TensorMeta of) {
        return of.sizes().stream().mapToLong(s -> s.evaluate(Map.of())).toArray();
    }

    private static TensorMeta like(TensorMeta of, long... sizes) {
        List<SymExpr> written = new ArrayList<>();
        List<SymExpr> strides = new ArrayList<>();
        for (int i = 0; i < sizes.length; i++) {
            written.add(SymExpr.of(sizes[i]));
            strides.add(SymExpr.of(Shapes.contiguous(sizes)[i]));
        }
        return new TensorMeta(of.dtype(), written, strides, SymExpr.of(0), false);
    }
}
