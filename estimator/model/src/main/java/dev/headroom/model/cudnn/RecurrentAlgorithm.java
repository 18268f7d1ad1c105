package dev.headroom.model.cudnn;

import dev.headroom.model.graph.DType;

/** How cuDNN runs recurrent layers: those values of {@code cudnnRNNAlgo_t} that PyTorch asks for. */
public enum RecurrentAlgorithm {
    /** Product by product. */
    STANDARD,
    /** One kernel for all steps. */
    PERSIST_STATIC,
    /** One kernel for all steps of cells with few units. */
    PERSIST_STATIC_SMALL_H;

    private static final int FORWARD = 192;
    private static final int BACKWARD = 128;

    /** What PyTorch asks for (RNN.cpp, get_algo). */
    public static RecurrentAlgorithm of(RecurrentProblem p, boolean backward, CudnnDevice device) {
        if (p.projects()) {
            return STANDARD;
        }
        int few = (backward ? BACKWARD : FORWARD) * (p.gates() == 1 ? 2 : 1);
        if (p.type() != DType.FLOAT64 && p.hidden() <= few) {
            return PERSIST_STATIC_SMALL_H;
        }
        return p.type() == DType.FLOAT16 && persists(p, device) ? PERSIST_STATIC : STANDARD;
    }

    /** use_persist_common_heuristics, use_persist_device_heuristics; of devices since Ampere. */
    private static boolean persists(RecurrentProblem p, CudnnDevice device) {
        boolean fits = p.parts() == 1 && p.hidden() <= 1024 && p.hidden() % 128 == 0 && p.input() % 128 == 0;
        if (!fits || device.major() < 8 || device.sms() < 98 || device.minor() == 6) {
            return false;
        }
        boolean batches = p.batch() % 8 == 0 && p.batch() <= 128;
        return switch (p.gates()) {
            case 3 -> false;
            case 4 -> batches;
            default -> batches && (p.batch() < 96 || p.hidden() < 896);
        };
    }
}
