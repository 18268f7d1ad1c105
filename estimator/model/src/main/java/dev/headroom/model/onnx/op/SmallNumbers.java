package dev.headroom.model.onnx.op;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.onnx.file.OnnxFile;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Computes what an exported graph computes of shapes: Python did so on the host, where a graph of ONNX has operators.
 * Only tensors of at most one dimension are computed, element by element, as expressions over open sizes.
 */
final class SmallNumbers {
    private static final int MOST = 1024;

    private SmallNumbers() {}

    /** Computes the call, or says {@code false} where it is one for tensors. */
    static boolean compute(Call c) {
        Content content = content(c);
        if (content != null && content.size() <= MOST) {
            c.content(content);
            return true;
        }
        return false;
    }

    private static @Nullable Content content(Call c) {
        switch (c.type()) {
            case "Shape" -> {
                List<SymExpr> sizes = c.sizes(0);
                if (sizes == null) {
                    throw new NoCounterpart();
                }
                int start = within(c.number("start", 0), sizes.size());
                int end = Math.max(start, within(c.number("end", sizes.size()), sizes.size()));
                return Content.of(DType.INT64, false, sizes.subList(start, end));
            }
            case "Size" -> {
                return Content.of(DType.INT64, true, List.of(Dims.product(c.knownSizes(0))));
            }
            default -> {
                List<Content> all = new ArrayList<>();
                for (int i = 0; i < c.inputs(); i++) {
                    Content one =
                            c.has(i) && c.known(i).tensor() == null ? c.known(i).content() : null;
                    if (one == null) {
                        return null;
                    }
                    all.add(one);
                }
                return all.isEmpty() ? null : of(c, all);
            }
        }
    }

    private static int within(long dim, int rank) {
        return (int) Math.max(0, Math.min(rank, dim < 0 ? dim + rank : dim));
    }

    private static @Nullable Content of(Call c, List<Content> all) {
        Content x = all.get(0);
        return switch (c.type()) {
            case "Identity" -> x;
            case "Cast" -> cast(x, ElementTypes.of((int) c.number("to", 1), c.output(0)));
            case "Unsqueeze" -> x.scalar() ? shaped(x, false) : null;
            case "Squeeze" -> x.size() == 1 ? shaped(x, true) : null;
            case "Reshape" -> all.get(1).size() <= 1 ? shaped(x, all.get(1).size() == 0) : null;
            case "Concat" -> x.isReal() ? null : joined(all);
            case "Gather" -> gathered(x, all.get(1));
            case "Slice" -> sliced(all);
            case "ConstantOfShape" -> filled(c, x);
            case "Sqrt", "Reciprocal", "Neg" -> x.isReal() ? unknown(x, x.size()) : null;
            case "Add", "Sub", "Mul", "Div", "Max", "Min", "Pow" ->
                all.size() == 2 ? elementwise(c.type(), x, all.get(1)) : null;
            default -> null;
        };
    }

    private static Content shaped(Content x, boolean scalar) {
        return new Content(x.type(), scalar, x.integers(), x.reals());
    }

    private static Content unknown(Content like, int size) {
        return Content.real(like.type(), like.scalar(), Collections.nCopies(size, Double.NaN));
    }

    private static @Nullable Content cast(Content x, DType type) {
        if (x.isReal() != type.isFloatingPoint()) {
            return x.isReal() ? null : unknown(Content.real(type, x.scalar(), List.of()), x.size());
        }
        return new Content(type, x.scalar(), x.integers(), x.reals());
    }

    private static @Nullable Content joined(List<Content> all) {
        List<SymExpr> out = new ArrayList<>();
        for (Content one : all) {
            if (one.isReal() || one.scalar()) {
                return null;
            }
            out.addAll(one.integers());
        }
        return Content.of(all.get(0).type(), false, out);
    }

    private static @Nullable Content gathered(Content x, Content indices) {
        if (x.isReal() || indices.isReal() || x.scalar()) {
            return null;
        }
        List<SymExpr> out = new ArrayList<>();
        for (SymExpr index : indices.integers()) {
            Long at = Dims.constant(index);
            if (at == null || at >= x.size() || at < -x.size()) {
                return null;
            }
            out.add(x.integers().get(Call.dim(at, x.size())));
        }
        return Content.of(x.type(), indices.scalar(), out);
    }

    private static @Nullable Content sliced(List<Content> all) {
        Content x = all.get(0);
        if (x.isReal() || x.scalar() || all.size() < 3) {
            return null;
        }
        Long start = Dims.constant(all.get(1).integers().get(0));
        Long end = Dims.constant(all.get(2).integers().get(0));
        Long step = all.size() < 5
                ? Long.valueOf(1)
                : Dims.constant(all.get(4).integers().get(0));
        if (start == null || end == null || !Objects.equals(step, 1L)) {
            return null;
        }
        int from = within(start, x.size());
        return Content.of(x.type(), false, x.integers().subList(from, Math.max(from, within(end, x.size()))));
    }

    private static @Nullable Content filled(Call c, Content shape) {
        OnnxFile.Attribute value = c.attribute("value");
        long[] number =
                value == null || value.tensor() == null ? null : value.tensor().numbers();
        Long size = shape.size() == 1 ? Dims.constant(shape.integers().get(0)) : null;
        if (number == null || number.length != 1 || size == null || size > MOST || size < 0) {
            return null;
        }
        return Content.of(DType.INT64, false, Collections.nCopies(size.intValue(), SymExpr.of(number[0])));
    }

    private static @Nullable Content elementwise(String type, Content x, Content y) {
        if (x.size() != y.size() && x.size() != 1 && y.size() != 1) {
            return null;
        }
        int size = x.size() == 1 ? y.size() : x.size();
        boolean scalar = x.scalar() && y.scalar();
        if (x.isReal() || y.isReal()) {
            DType real = x.isReal() ? x.type() : y.type();
            return unknown(Content.real(real, scalar, List.of()), size);
        }
        List<SymExpr> out = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            SymExpr a = x.integers().get(x.size() == 1 ? 0 : i);
            SymExpr b = y.integers().get(y.size() == 1 ? 0 : i);
            SymExpr result =
                    switch (type) {
                        case "Add" -> Dims.plus(a, b);
                        case "Sub" -> Dims.minus(a, b);
                        case "Mul" -> Dims.times(a, b);
                        case "Div" -> Dims.over(a, b);
                        case "Min" -> Dims.least(a, b);
                        case "Max" -> a.equals(b) ? a : SymExpr.call("Max", a, b);
                        default -> null;
                    };
            if (result == null) {
                return null;
            }
            out.add(result);
        }
        return Content.of(x.type(), scalar, out);
    }
}
