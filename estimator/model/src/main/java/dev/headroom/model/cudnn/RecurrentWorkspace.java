package dev.headroom.model.cudnn;

import static dev.headroom.model.cudnn.RecurrentSpaces.aligned;

/**
 * The buffers of a pass through recurrent layers. How large they are was read off cuDNN's answers; what they are for is
 * a guess from that.
 */
final class RecurrentWorkspace {
    /** Compute capability from which static persistent kernels are missing. */
    static final int BLACKWELL = 10;

    private static final int AMPERE = 8;

    /** Of the products of each part. */
    private static final long PRODUCTS = 8L << 20;

    /** Steps whose gates are computed from the input at once. */
    private static final int AT_ONCE = 256;

    /** Rows of partial sums of a static persistent backward pass, each as long as the hidden state. */
    private static final long PARTIAL_ROWS = 2432;

    /** Steps from which layers that overlap advance by a few steps at least. */
    private static final int LONG = 128;

    private static final int FEW_STEPS = 8;

    private final RecurrentProblem p;
    private final RecurrentAlgorithm algorithm;
    private final CudnnDevice device;

    RecurrentWorkspace(RecurrentProblem p, RecurrentAlgorithm algorithm, CudnnDevice device) {
        this.p = p;
        this.algorithm = algorithm;
        this.device = device;
    }

    private boolean persists() {
        return algorithm != RecurrentAlgorithm.STANDARD;
    }

    /** Whether layers run one step after the other, some at the same time. */
    private boolean overlaps() {
        return p.layers() > 1 && !p.bidirectional();
    }

    long forward() {
        long gates = p.gates() * (long) p.directions();
        long bytes = common() + padding();
        if (persists()) {
            bytes += aligned(gates * p.sequence()) + aligned(4L * p.gates() * p.sequence()) + persistentStates();
        } else {
            long steps = p.bidirectional() ? p.steps() : Math.min(p.steps(), AT_ONCE);
            bytes += aligned(gates * steps * p.step()) + aligned(p.gates() * p.step() * p.parts());
            bytes += p.isLstm() ? aligned(2 * p.step() * p.parts()) : 0;
            bytes += joinedStates();
        }
        if (p.bidirectional()) {
            bytes += aligned(4 * p.sequence());
        } else if (overlaps() && p.drops()) {
            bytes += aligned(p.sequence());
        }
        return bytes;
    }

    long backward() {
        long widest = Math.max(p.given(), p.sequence());
        long bytes = common() + 2 * padding() + aligned(p.bidirectional() ? 4 * widest : widest);
        if (!persists()) {
            bytes += aligned(p.step() * p.parts()) + aligned(handedOn()) + joinedStates();
            return bytes + (p.isLstm() ? aligned(2 * p.step() * p.parts()) : 0);
        }
        int kept = p.isLstm() ? 4 : p.gates() == 1 ? 1 : 6;
        long whole = bytes
                + aligned((p.layers() == 1 ? 1L : 2L) * p.directions() * p.sequence())
                + aligned(8 * p.sequence())
                + aligned(kept * p.sequence())
                + persistentStates();
        return algorithm == RecurrentAlgorithm.PERSIST_STATIC ? Math.max(whole, bytes + partial()) : whole;
    }

    /** What both passes need: room for products, copies of the matrices, what is not projected yet. */
    private long common() {
        // on Ampere and Ada, layers that overlap get none of it
        long products = device.major() == AMPERE && overlaps() ? 0 : PRODUCTS * p.parts();
        long unprojected = p.projects() ? aligned(p.directions() * p.sequence()) : 0;
        return products + RecurrentSpaces.HEADER + aligned(p.matrices()) + unprojected + aligned(8 * p.batch());
    }

    /** Input, output and states in cuDNN's own order of sequences. */
    private long padding() {
        long state = p.batch() * p.output() * p.type().bytes() * p.parts();
        long cells = p.isLstm() ? 2 * aligned(p.step() * p.parts()) : 0;
        return aligned(p.given()) + aligned(p.shown() * p.directions()) + 2 * aligned(state) + cells;
    }

    private long joinedStates() {
        return p.bidirectional() ? aligned(4 * p.step() * p.layers()) : 0;
    }

    private long persistentStates() {
        long states = aligned(2 * p.step() * p.parts()) * (p.isLstm() ? 2 : 1);
        return states + (p.bidirectional() ? aligned(2 * p.step() * p.layers()) : 0);
    }

    /** What a static persistent pass needs instead of gradients at all steps. */
    private long partial() {
        long sums = PARTIAL_ROWS * p.hidden() * p.type().bytes();
        return sums + (p.isLstm() ? 5 * (p.sequence() + p.step()) : 2 * p.sequence() + 3 * p.step());
    }

    /** Gradients on their way from a layer to the one below. */
    private long handedOn() {
        if (p.bidirectional()) {
            return (p.layers() == 1 ? 2 : 4) * p.sequence();
        }
        return overlaps() ? window() * p.step() : p.sequence();
    }

    /** Steps that lie between where the last layer is and where the first one is, which runs behind. */
    private long window() {
        boolean waits = device.major() >= AMPERE && p.steps() >= LONG;
        long advance = waits ? Math.max(advance(), FEW_STEPS) : advance();
        return Math.min(p.steps(), p.layers() * advance + Math.max(advance, FEW_STEPS));
    }

    /** Steps that a layer goes on by at once: fewer, the more sequences there are. */
    private long advance() {
        if (p.batch() == 1) {
            return 32;
        }
        return p.batch() <= 8 ? 16 : p.batch() <= 16 ? 8 : p.batch() <= 96 ? 4 : 2;
    }
}
