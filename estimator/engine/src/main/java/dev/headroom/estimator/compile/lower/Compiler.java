package dev.headroom.estimator.compile.lower;

import dev.headroom.estimator.compile.partition.Partition;
import dev.headroom.estimator.compile.trace.ConvolutionKey;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.compiled.CompiledCode;
import dev.headroom.model.compiled.CompiledGraph;
import dev.headroom.model.compiled.Padding;
import dev.headroom.model.compiled.Product;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes the code of a partitioned graph. */
public final class Compiler {
    private static final int NODES_PER_CONVOLUTION = 300;
    private static final int SMALL = 64;

    private final Partition partition;
    private final List<Value> arguments;
    private final boolean channelsLast;

    /** Whether images and weights come in it. */
    private final boolean given;

    private Compiler(Partition partition, boolean given, boolean symbolic) {
        this.partition = partition;
        this.arguments = partition.placeholders();
        this.given = given;
        this.channelsLast = given || !symbolic && runsChannelsLast(partition, arguments.size());
    }

    /**
     * Compiles.
     *
     * @param trains whether there is a backward
     * @param channelsLast whether images and weights come in it
     */
    public static CompiledGraph compile(
            Partition partition, boolean trains, boolean channelsLast, CompiledGraph.Facts facts) {
        Compiler compiler = new Compiler(partition, channelsLast, facts.symbolic());
        Map<Value, Buffer> storage = new HashMap<>();
        CompiledCode forward = compiler.forward(storage);
        CompiledCode backward = trains ? compiler.backward(storage) : null;
        List<@Nullable TensorMeta> gradients = new ArrayList<>();
        partition.gradients().forEach(g -> gradients.add(g == null ? null : g.meta()));
        List<@Nullable TensorMeta> results = new ArrayList<>();
        partition.results().forEach(r -> results.add(r.meta()));
        return new CompiledGraph(
                forward,
                backward,
                results,
                gradients,
                facts.symbolic() ? List.of() : trials(partition),
                facts,
                Map.of());
    }

    /** Products that are tried padded while the joint graph is searched from its end. */
    private static List<Product> trials(Partition partition) {
        Set<Product> out = new LinkedHashSet<>();
        for (List<Value> nodes : List.of(partition.backward(), partition.forward())) {
            for (int i = nodes.size() - 1; i >= 0; i--) {
                Value v = nodes.get(i);
                List<TensorMeta> given = v.arguments().stream().map(Value::meta).toList();
                boolean adds = v.op().equals("aten.addmm");
                if (adds || v.op().equals("aten.mm") || v.op().equals("aten.bmm")) {
                    TensorMeta left = given.get(adds ? 1 : 0);
                    TensorMeta right = given.get(adds ? 2 : 1);
                    if (Padding.of(left, right).any()) {
                        out.add(new Product(left, right, adds ? given.get(0) : null));
                    }
                }
            }
        }
        return List.copyOf(out);
    }

    /** {@code GraphLowering.decide_layout_opt}. */
    private static boolean runsChannelsLast(Partition partition, int arguments) {
        List<Value> convolutions = partition.forward().stream()
                .filter(v -> v.op().equals("aten.convolution") && v.dim() == 4)
                .toList();
        if (convolutions.isEmpty()
                || partition.forward().size() + arguments >= NODES_PER_CONVOLUTION * convolutions.size()) {
            return false;
        }
        boolean allSmall = true;
        for (Value c : convolutions) {
            Value weight = c.arguments().get(1);
            boolean grouped = ConvolutionKey.of(c).groups() != 1;
            if (grouped && weight.size(1) > 1 || weight.size(0) * 2 <= weight.size(1) && weight.size(2) > 1) {
                return false;
            }
            allSmall &= weight.size(0) <= SMALL && weight.size(1) <= SMALL;
        }
        return !allSmall;
    }

    private CompiledCode forward(Map<Value, Buffer> storage) {
        Lowering lowering = new Lowering("buf", channelsLast, channelsLast && !given);
        List<Buffer> taken = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            Value v = arguments.get(i);
            Buffer b = new Buffer("primals_" + (i + 1), v.meta(), v.bytes(), true, false);
            taken.add(b);
            lowering.given(v, b);
        }
        List<Value> out = new ArrayList<>(partition.results());
        out.addAll(partition.kept());
        lowering.run(partition.forward(), new LinkedHashSet<>(out));
        List<@Nullable Buffer> returned = new ArrayList<>();
        for (Value v : out) {
            Buffer b = lowering.buffer(v);
            returned.add(b);
            storage.put(v, b);
        }
        return new CodeWriter(Ordering.of(Fusion.of(lowering.works()), returned), returned).write(taken);
    }

    private CompiledCode backward(Map<Value, Buffer> storage) {
        Lowering lowering = new Lowering("buf", channelsLast, channelsLast && !given);
        List<Buffer> taken = new ArrayList<>();
        Map<Buffer, Integer> seen = new HashMap<>();
        List<Value> both = new ArrayList<>(partition.results());
        both.addAll(partition.kept());
        both.forEach(v -> seen.merge(Objects.requireNonNull(storage.get(v)), 1, Integer::sum));
        for (Value v : partition.kept()) {
            Buffer there = Objects.requireNonNull(storage.get(v));
            boolean own = !there.given() && Objects.requireNonNull(seen.get(there)) == 1;
            Buffer b = new Buffer((there.given() ? "primals_" : Buffer.KEPT) + v.id(), v.meta(), v.bytes(), true, own);
            taken.add(b);
            lowering.given(v, b);
        }
        for (Value v : partition.tangents()) {
            Buffer b = new Buffer("tangents_" + v.id(), v.meta(), v.bytes(), true, false);
            taken.add(b);
            lowering.given(v, b);
        }
        Set<Value> wanted = new LinkedHashSet<>();
        partition.gradients().stream().filter(Objects::nonNull).forEach(wanted::add);
        lowering.run(partition.backward(), wanted);
        List<@Nullable Buffer> returned = new ArrayList<>();
        for (Value g : partition.gradients()) {
            returned.add(g == null ? null : lowering.buffer(g));
        }
        return new CodeWriter(Ordering.of(Fusion.of(lowering.works()), returned), returned).write(taken);
    }
}
