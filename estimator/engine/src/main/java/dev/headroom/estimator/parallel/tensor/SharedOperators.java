package dev.headroom.estimator.parallel.tensor;

import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.program.NodeHook;
import dev.headroom.estimator.runtime.Distribution;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.plan.Placement;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Operators on parts: what DTensor makes beside what the kernel makes, and how results and gradients are laid out
 * (torch/distributed/tensor/_dispatch.py, _ops).
 */
final class SharedOperators implements NodeHook {
    private final EagerRuntime rt;
    private final Distribution.Ranks ranks;
    private final TiedParameters ties;
    private final LocalSizes sizes;

    SharedOperators(EagerRuntime rt, Distribution.Ranks ranks, TiedParameters ties, LocalSizes sizes) {
        this.ties = ties;
        this.rt = rt;
        this.ranks = ranks;
        this.sizes = sizes;
    }

    @Override
    public Node localized(Graph graph, Node node, Map<String, Tensor> values) {
        Node own = ties.ownValues(node);
        LocalSizes.Facts facts = sizes.of(graph, own);
        for (String name : facts.computesWith()) {
            Tensor read = values.get(name);
            if (read != null) {
                read.storage().await(rt);
            }
        }
        return sizes.local(facts, own, values);
    }

    @Override
    public Tensor[] around(Call call, Supplier<Tensor[]> own) {
        return switch (call.node().operator()) {
            case "aten.linear" -> linear(call, own);
            case "aten.embedding" -> embedding(call, own);
            default -> passed(call, own);
        };
    }

    /** The result is a part as what it was computed from. */
    private static Tensor[] passed(Call call, Supplier<Tensor[]> own) {
        Tensor from = first(call);
        Tensor[] out = fitting(call, own);
        if (from != null) {
            for (Tensor t : out) {
                Distribution.pass(from, t);
            }
        }
        return out;
    }

    private static Tensor[] fitting(Call call, Supplier<Tensor[]> own) {
        try {
            return own.get();
        } catch (UserInputException e) {
            throw new UserInputException(
                    call.node().module() + ": what the plan of tensor parallelism divides does not fit what it leaves"
                            + " whole (" + e.getMessage()
                            + "); choose another --tp, or write a plan for such modules and"
                            + " name it with --tp-plan",
                    e);
        }
    }

    private static @Nullable Tensor first(Call call) {
        for (String name : new String[] {"self", "input"}) {
            if (call.has(name) && call.isTensor(name)) {
                Tensor t = call.tensor(name);
                return t.distribution() == null ? null : t;
            }
        }
        return null;
    }

    /**
     * Whole rows go into a weight whose output features are divided, divided rows into one whose input features are.
     * There a bias, which every rank has, is divided by their number before it is added.
     */
    private Tensor[] linear(Call call, Supplier<Tensor[]> own) {
        Distribution weight = call.tensor("weight").distribution();
        Tensor input = call.tensor("input");
        if (weight == null || input.distribution() == null) {
            return own.get();
        }
        boolean rows = weight.placement().equals(Placement.shard(0));
        long features = input.distribution().sizes()[input.dim() - 1];
        if (!rows && features != weight.sizes()[1]) {
            throw new UserInputException(
                    call.node().module() + ": " + weight.sizes()[1] + " input features do not divide" + " among the "
                            + ranks.size() + " ranks of --parallel tp; choose a --tp that divides them");
        }
        Tensor bias = rows ? null : call.tensorOrNull("bias");
        Tensor scaled = bias == null ? null : rt.emptyLike(bias);
        Tensor[] out = own.get();
        rt.free(scaled);
        input.distribution().gradientsCome(rows ? Placement.PARTIAL : Placement.shard(-1));
        long[] whole = out[0].sizes().clone();
        whole[whole.length - 1] = weight.sizes()[0];
        out[0].setDistribution(new Distribution(ranks, rows ? Placement.shard(-1) : Placement.PARTIAL, whole));
        return out;
    }

    /** Of a weight whose rows are divided, a rank looks up its own, and masks what it does not have (_MaskPartial). */
    private Tensor[] embedding(Call call, Supplier<Tensor[]> own) {
        Distribution weight = call.tensor("weight").distribution();
        if (weight == null) {
            return own.get();
        }
        boolean rows = weight.placement().equals(Placement.shard(0));
        Tensor ids = call.tensor("indices");
        Tensor mask = rows ? mask(ids) : null;
        Tensor masked = null;
        if (rows) {
            Tensor copy = rt.emptyLike(ids);
            masked = rt.emptyLike(ids);
            rt.free(copy);
        }
        Tensor[] out = own.get();
        rt.free(masked);
        long[] whole = out[0].sizes().clone();
        whole[whole.length - 1] = weight.sizes()[1];
        Distribution made = new Distribution(ranks, rows ? Placement.MASKED : Placement.shard(-1), whole);
        made.setMask(rt.hold(mask));
        rt.free(mask);
        out[0].setDistribution(made);
        return out;
    }

    /** {@code (ids < first) | (ids >= first + rows)}. */
    private Tensor mask(Tensor ids) {
        Tensor below = Strided.result(rt, DType.BOOL, ids);
        Tensor above = Strided.result(rt, DType.BOOL, ids);
        Tensor out = Strided.result(rt, DType.BOOL, ids);
        rt.free(below);
        rt.free(above);
        return out;
    }
}
