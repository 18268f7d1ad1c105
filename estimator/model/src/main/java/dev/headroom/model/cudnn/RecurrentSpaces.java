package dev.headroom.model.cudnn;

import dev.headroom.model.graph.DType;

/**
 * What cuDNN asks for beside the tensors of recurrent layers (cudnnGetRNNTempSpaceSizes), in bytes. Found from answers
 * of the library, which 9.14, 9.19 and 9.24 give alike; {@code fixtures/cudnn/recurrent.csv.gz} holds some.
 *
 * @param workspace of a pass
 * @param reserve what the forward pass of training leaves for the backward pass
 */
public record RecurrentSpaces(long workspace, long reserve) {
    /** Buffers begin at multiples of it. */
    private static final int ALIGNMENT = 32;

    static final int HEADER = 256;

    /** A dropped element is a bit. */
    private static final int BITS = 8;

    /** Of a pass of training, forward or backward: the workspace is large enough for either. */
    public static RecurrentSpaces training(RecurrentProblem p, RecurrentAlgorithm algorithm, CudnnDevice device) {
        RecurrentWorkspace w = new RecurrentWorkspace(p, computed(p, algorithm, device), device);
        return new RecurrentSpaces(Math.max(w.forward(), w.backward()), reserve(p));
    }

    /** Of a forward pass that no backward pass follows. */
    public static RecurrentSpaces inference(RecurrentProblem p, RecurrentAlgorithm algorithm, CudnnDevice device) {
        return new RecurrentSpaces(new RecurrentWorkspace(p, computed(p, algorithm, device), device).forward(), 0);
    }

    /** What is run instead of an algorithm that there is no kernel of. */
    private static RecurrentAlgorithm computed(RecurrentProblem p, RecurrentAlgorithm asked, CudnnDevice device) {
        boolean missing = asked == RecurrentAlgorithm.PERSIST_STATIC
                ? device.major() >= RecurrentWorkspace.BLACKWELL
                : p.type() == DType.BFLOAT16 || p.type() == DType.FLOAT64;
        return missing ? RecurrentAlgorithm.STANDARD : asked;
    }

    /** Gates and cells of all layers, what layers hand on, and what was dropped of it. */
    private static long reserve(RecurrentProblem p) {
        long layer = p.sequence() * p.directions();
        long all = layer * p.layers();
        long bytes = HEADER + aligned((p.layers() - 1) * layer);
        if (p.isLstm()) {
            bytes += aligned(4 * all) + aligned(all);
        } else {
            bytes += aligned((p.gates() == 1 ? 1 : 6) * all);
        }
        if (p.projects()) {
            bytes += aligned(all) + aligned(p.shown() * p.parts());
        }
        if (p.drops()) {
            long elements = p.steps() * p.batch() * p.output() * p.directions();
            bytes += (p.layers() - 1L) * p.directions() * aligned((elements + BITS - 1) / BITS);
        }
        return bytes;
    }

    static long aligned(long bytes) {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}
