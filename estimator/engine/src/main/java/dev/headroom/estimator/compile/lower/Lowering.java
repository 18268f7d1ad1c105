package dev.headroom.estimator.compile.lower;

import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Which values become buffers ({@code GraphLowering.run_node}, {@code StorageBox}). */
final class Lowering {
    /** Reads of a value with several readers beyond which it becomes a buffer (realize_reads_threshold). */
    private static final int READS = 4;

    /** Reads of any value (realize_acc_reads_threshold). */
    private static final int MOST_READS = 8;

    /** Operations of a value (realize_opcount_threshold). */
    private static final int OPERATIONS = 30;

    /** Views that show every element at its own place. */
    private static final Set<String> STRAIGHT = Set.of("aten.view", "aten.unsqueeze", "aten.squeeze");

    /** Libraries that take their operands as they lie ({@code needs_realized_inputs}). */
    private static final Set<String> HINTS =
            Set.of("aten.mm", "aten.bmm", "aten.convolution", "aten.convolution_backward");

    private final String prefix;
    private final boolean channelsLast;
    private final boolean copies;
    private final Map<Value, Box> boxes = new HashMap<>();
    private final Map<Value, Boolean> straight = new HashMap<>();
    private final Map<Value, Set<Value>> users = new HashMap<>();
    private final List<Work> works = new ArrayList<>();
    private AddedProducts products = new AddedProducts(List.of(), users, Set.of());
    private int named;

    /**
     * A lowering.
     *
     * @param prefix of names of buffers
     * @param channelsLast whether convolutions run in it
     * @param copies whether their operands come in another layout
     */
    Lowering(String prefix, boolean channelsLast, boolean copies) {
        this.prefix = prefix;
        this.channelsLast = channelsLast;
        this.copies = copies;
    }

    List<Work> works() {
        return works;
    }

    /** Gives an argument. */
    void given(Value value, Buffer buffer) {
        Box box = new Box(value);
        box.buffer = buffer;
        boxes.put(value, box);
        straight.put(value, true);
    }

    /** The buffer that a returned value lies in. */
    Buffer buffer(Value value) {
        return realised(value);
    }

    void run(List<Value> nodes, Set<Value> returned) {
        for (Value v : nodes) {
            v.arguments().forEach(a -> users.computeIfAbsent(a, k -> new LinkedHashSet<>())
                    .add(v));
        }
        products = new AddedProducts(nodes, users, returned);
        if (copies) {
            nodes.stream().filter(v -> v.op().equals("aten.convolution")).forEach(this::copyOperands);
        }
        for (Value v : nodes) {
            if (products.isTakenIn(v)) {
                continue;
            }
            if (!boxes.containsKey(v)) {
                lower(v);
            }
            if (!v.isTuple()) {
                settle(v, v.kind() != Kind.VIEW && returned.contains(v));
            }
        }
        returned.forEach(this::realised);
    }

    /** Images and weights that are given come in another layout, and stay in it for backward. */
    private void copyOperands(Value convolution) {
        for (Value operand : convolution.arguments().subList(0, 2)) {
            boolean weight = operand == convolution.arguments().get(1);
            if (operand.isPlaceholder() && operand.dim() == 4 && (weight || operand.kind() == Kind.INPUT)) {
                Box box = box(operand);
                Buffer from = Objects.requireNonNull(box.buffer);
                boolean same = weight && operand.size(2) * operand.size(3) == 1;
                if (from.given() && !same) {
                    Work copy = work(Work.Shape.ELEMENTWISE, "convolution", operand.numel(), 1);
                    copy.read(from, false);
                    box.buffer = make(copy, operand);
                }
            }
        }
    }

    private Box box(Value v) {
        return Objects.requireNonNull(boxes.get(v), v::toString);
    }

    private boolean straight(Value v) {
        return Objects.requireNonNull(straight.get(v));
    }

    private void lower(Value v) {
        straight.put(v, true);
        Value product = products.product(v);
        if (product != v) {
            Value added = v.arguments().get(v.arguments().get(0) == product ? 1 : 0);
            bind(
                    v,
                    library(
                            "aten.addmm",
                            added,
                            product.arguments().get(0),
                            product.arguments().get(1)));
            return;
        }
        if (products.apart(v)) {
            addApart(v);
            return;
        }
        switch (v.kind()) {
            case VIEW -> {
                Value of = v.arguments().get(0);
                boxes.put(v, box(of));
                straight.put(v, straight(of) && STRAIGHT.contains(v.op()));
            }
            case POINTWISE, RANDOM, GATHER -> boxes.put(v, expression(v));
            case REDUCTION -> reduction(v);
            case WINDOW -> {
                Buffer read = realised(v.arguments().get(0));
                Work work =
                        work(Work.Shape.ELEMENTWISE, v.op(), results(v).get(0).numel(), 1);
                work.read(read, false);
                bind(v, work);
            }
            case SCATTER -> scatter(v);
            case LIBRARY -> call(v);
            default -> throw new IllegalStateException(v.toString());
        }
    }

    private Box expression(Value v) {
        Box box = new Box(v);
        box.operations = v.op().equals("aten.clone") || v.op().equals("aten.full") ? 0 : 1;
        boolean gathers = v.kind() == Kind.GATHER || v.op().equals("aten.cat");
        for (Value a : v.arguments()) {
            boolean same = a.numel() == v.numel() && alike(a, v);
            box.inline(box(a), straight(a) && same && !gathers);
        }
        return box;
    }

    /** Whether elements lie in the same order. */
    private static boolean alike(Value a, Value b) {
        return !a.isContiguous() || !b.isContiguous() ? Arrays.equals(a.strides(), b.strides()) : true;
    }

    private static List<Value> results(Value v) {
        return v.isTuple() ? v.items() : List.of(v);
    }

    private void reduction(Value v) {
        Value of = v.arguments().get(0);
        long points = Math.max(1, results(v).get(0).numel());
        boolean scan = v.op().equals("aten.cumsum");
        Work work = work(scan ? Work.Shape.CALL : Work.Shape.REDUCTION, v.op(), points, of.numel() / points);
        readAll(work, of, true);
        bind(v, work);
    }

    private void readAll(Work work, Value of, boolean place) {
        Box box = box(of);
        Buffer there = box.buffer;
        if (there != null) {
            work.read(there, straight(of) && place);
        } else {
            box.reads.forEach((b, s) -> work.read(b, s && straight(of) && place));
        }
    }

    private void scatter(Value v) {
        Work zeros = work(Work.Shape.ELEMENTWISE, v.op(), v.numel(), 1);
        bind(v, zeros);
        Work change = work(Work.Shape.CHANGE, v.op(), v.numel(), 1);
        change.read(Objects.requireNonNull(box(v).buffer), false);
        v.arguments().stream().skip(1).forEach(a -> readAll(change, a, false));
    }

    private void call(Value v) {
        bind(v, library(v.op(), v.arguments().toArray(Value[]::new)));
    }

    private Work library(String function, Value... operands) {
        for (Value operand : operands) {
            realised(operand);
        }
        Work work = work(Work.Shape.CALL, function, 1, 1);
        for (Value a : operands) {
            Buffer operand = realised(a);
            work.read(operand, false);
            work.operands.add(operand);
        }
        return work;
    }

    /** A product in memory, to which whoever reads it adds the rest. */
    private void addApart(Value addmm) {
        Value added = addmm.arguments().get(0);
        Work work =
                library("aten.mm", addmm.arguments().get(1), addmm.arguments().get(2));
        Box box = new Box(addmm);
        box.operations = 1;
        box.reads.put(make(work, addmm), true);
        box.inline(box(added), straight(added) && added.numel() == addmm.numel());
        boxes.put(addmm, box);
    }

    private void bind(Value v, Work work) {
        for (Value result : results(v)) {
            Box box = new Box(result);
            box.buffer = make(work, result);
            boxes.put(result, box);
            straight.put(result, true);
        }
    }

    private Work work(Work.Shape shape, String function, long points, long depth) {
        Work work = new Work(works.size(), shape, function, points, depth);
        works.add(work);
        return work;
    }

    private Buffer make(Work work, Value of) {
        Buffer made = Buffer.made(prefix + named++, of, layout(of));
        work.makes.add(made);
        return made;
    }

    private TensorMeta layout(Value of) {
        TensorMeta meta = of.meta();
        if (!channelsLast || of.dim() != 4 || of.numel() == 0) {
            return meta;
        }
        return new TensorMeta(
                meta.dtype(),
                meta.sizes(),
                Arrays.stream(Shapes.channelsLast(of.sizes()))
                        .mapToObj(SymExpr::of)
                        .toList(),
                meta.storageOffset(),
                false);
    }

    private Buffer realised(Value v) {
        Box box = box(v);
        Buffer known = box.buffer;
        if (known != null) {
            return known;
        }
        Work work = work(Work.Shape.ELEMENTWISE, box.value.op(), box.value.numel(), 1);
        box.reads.forEach(work::read);
        Buffer made = make(work, box.value);
        box.buffer = made;
        return made;
    }

    /** Decides once it is known who reads a value. */
    private void settle(Value v, boolean returned) {
        Box box = box(v);
        if (box.buffer != null) {
            return;
        }
        Set<Value> readers = users.getOrDefault(v, Set.of());
        int count = readers.size() + (returned ? 1 : 0);
        boolean hinted = readers.stream().anyMatch(u -> HINTS.contains(u.op())) && box.reads.size() > 1;
        boolean reused = box.operations > OPERATIONS || box.reads.size() > READS;
        boolean full = (box.reads.size() > MOST_READS || box.operations > OPERATIONS) && box.reads.size() > 1;
        if (count > 1 && (hinted || returned || reused) || full) {
            realised(v);
        }
    }
}
