package dev.headroom.estimator.compile.lower;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One operation over buffers: elementwise, a reduction, or a call of a library. */
final class Work {
    /** What it is, for fusing. */
    enum Shape {
        ELEMENTWISE,
        REDUCTION,
        CALL,
        CHANGE
    }

    final int order;
    final Shape shape;

    /** The function that is called, or the operator that the kernel is named after. */
    final String function;

    /** Elements of the result, and elements that go into each of them. */
    final long points;

    final long depth;

    /** Buffers that it makes. */
    final List<Buffer> makes = new ArrayList<>();

    /** Buffers that it reads; whether only at the place that it writes. */
    final Map<Buffer, Boolean> reads = new LinkedHashMap<>();

    /** Operands of a call in order. */
    final List<Buffer> operands = new ArrayList<>();

    Work(int order, Shape shape, String function, long points, long depth) {
        this.order = order;
        this.shape = shape;
        this.function = function;
        this.points = points;
        this.depth = depth;
    }

    void read(Buffer buffer, boolean straight) {
        reads.merge(buffer, straight, Boolean::logicalAnd);
    }

    boolean fusible() {
        return shape == Shape.ELEMENTWISE || shape == Shape.REDUCTION;
    }
}
