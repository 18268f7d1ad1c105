package dev.headroom.estimator.parallel.layout;

import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Chunks of tensors that {@code nn.DataParallel} copies together, each of one type. */
public final class TakenTensors {
    private TakenTensors() {}

    /**
     * Chunks that are broadcast (torch/csrc/utils/tensor_flatten.cpp, take_tensors): one closes when it has reached the
     * limit, which it may exceed.
     *
     * @param limit in bytes
     * @return positions in the list, a list a chunk
     */
    public static List<List<Integer>> reaching(List<Piece> pieces, long limit) {
        return Buckets.ofArrived(pieces, limit);
    }

    /**
     * Chunks that are reduced (torch/_utils.py, _take_tensors): one closes before it would exceed the limit, which only
     * a single tensor can.
     *
     * @param limit in bytes
     * @return positions in the list, a list a chunk
     */
    public static List<List<Integer>> within(List<Piece> pieces, long limit) {
        List<List<Integer>> closed = new ArrayList<>();
        Map<DType, List<Integer>> open = new LinkedHashMap<>();
        Map<DType, Long> bytes = new LinkedHashMap<>();
        for (int i = 0; i < pieces.size(); i++) {
            Piece piece = pieces.get(i);
            long before = bytes.getOrDefault(piece.type(), 0L);
            if (before > 0 && before + piece.bytes() > limit) {
                closed.add(open.put(piece.type(), new ArrayList<>()));
                before = 0;
            }
            open.computeIfAbsent(piece.type(), type -> new ArrayList<>()).add(i);
            bytes.put(piece.type(), before + piece.bytes());
        }
        open.values().stream().filter(chunk -> !chunk.isEmpty()).forEach(closed::add);
        return closed;
    }
}
