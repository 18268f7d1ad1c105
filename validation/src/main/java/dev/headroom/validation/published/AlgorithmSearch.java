package dev.headroom.validation.published;

import dev.headroom.allocator.AllocatorListener;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.RunWatcher;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import java.util.HashMap;
import java.util.Map;

/**
 * What the search for convolution algorithms takes at least in a first forward pass of PyTorch 1.0 with
 * {@code cudnn.benchmark}: for every convolution one buffer, as large as the algorithm wants that wants most among
 * those that fit, on top of what is alive (aten/src/ATen/native/cudnn/Conv.cpp, getMaxWorkspaceSize). Only {@link
 * TiledTransforms} of filters larger than one element are counted; other algorithms, and the backward pass, may take
 * more.
 */
final class AlgorithmSearch implements RunWatcher {
    private static final int BLOCK = 512;
    private static final Moment FIRST_FORWARD = Moment.of(Phase.FORWARD, 0);

    private final Map<String, Long> alive = new HashMap<>();

    private AlgorithmSearch() {}

    /** Bytes of the highest point of the search. */
    static long atLeast(PredictionRequest request) {
        AlgorithmSearch search = new AlgorithmSearch();
        Simulation played = Predictor.simulate(request, search);
        Map<String, Long> symbols = played.prepared().symbols();
        long most = 0;
        for (Node node : played.prepared().graph().nodes()) {
            Long before = search.alive.get(node.module());
            if (node.operator().equals("aten.conv2d") && before != null) {
                most = Math.max(most, before + workspace(played, node, symbols));
            }
        }
        return most;
    }

    private static long workspace(Simulation played, Node node, Map<String, Long> symbols) {
        long[] x = sizes(played, node.reads().get(0), symbols);
        long[] w = sizes(played, node.reads().get(1), symbols);
        long pad = integer(node, "padding", 0);
        boolean tiled = integer(node, "stride", 1) == 1
                && w[1] == x[1]
                && w[2] > Math.max(1, pad)
                && TiledTransforms.oneTile(x[2], x[3], pad, pad);
        return tiled ? TiledTransforms.bytes(x[0], x[1], w[0]) : 0;
    }

    private static long[] sizes(Simulation played, String value, Map<String, Long> symbols) {
        TensorMeta meta = played.prepared().graph().meta(value);
        return meta.sizes().stream().mapToLong(s -> s.evaluate(symbols)).toArray();
    }

    private static long integer(Node node, String name, long otherwise) {
        return node.argument(name) instanceof Argument.Ints ints
                ? ints.values().get(0).evaluate(Map.of())
                : otherwise;
    }

    @Override
    public void begins(CachingAllocator allocator, Place place) {
        allocator.setListener((action, address, bytes, stream, pool) -> {
            if (action == AllocatorListener.Action.ALLOC && place.moment().equals(FIRST_FORWARD)) {
                allocated(allocator, place.running(), bytes);
            }
        });
    }

    /** The buffer is taken once the convolution has its result. */
    private void allocated(CachingAllocator allocator, Attribution who, long bytes) {
        if (who.operator().equals("aten.conv2d")) {
            long block = (bytes + BLOCK - 1) / BLOCK * BLOCK;
            alive.put(who.module(), allocator.statistics().allocatedBytes().current() + block);
        }
    }
}
