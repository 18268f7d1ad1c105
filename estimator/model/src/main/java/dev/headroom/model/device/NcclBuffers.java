package dev.headroom.model.device;

/**
 * What NCCL allocates for itself, beside PyTorch's allocator: buffers of each connection of a communicator, made when a
 * collective first needs them. Connections within a machine take 10 MiB to receive and 2 MiB to send a channel
 * (NVIDIA/nccl, src/transport/p2p.cc and src/include/device.h; the sizes that nccl#1685 lists). How many channels there
 * are depends on how the cards are wired, which is not known before the run.
 */
final class NcclBuffers {
    private static final long CONNECTION = 12L << 20;

    /** A ring needs one connection; trees have up to three more. */
    private static final int CONNECTIONS = 4;

    private static final int FEWEST_CHANNELS = 2;
    private static final int CHANNELS_OVER_NVLINK = 16;
    private static final int MOST_CHANNELS = 32;

    private static final String SOURCE =
            "12 MiB a channel and connection (nccl#1685): 2 channels over PCIe, 16 to 24 over NVLink (nccl#1453,"
                    + " nccl-tests#100), rings, and trees at most; counted are rings";

    private NcclBuffers() {}

    /** @param communicators how many the process has */
    static DeviceLine line(Gpu gpu, int communicators) {
        long each = communicators * CONNECTION;
        return new DeviceLine(
                DeviceLine.NCCL,
                each * FEWEST_CHANNELS,
                each * (hasNvlink(gpu) ? CHANNELS_OVER_NVLINK : FEWEST_CHANNELS),
                each * MOST_CHANNELS * CONNECTIONS,
                SOURCE);
    }

    /** Cards of data centres, by capability: Pascal to Blackwell. */
    private static boolean hasNvlink(Gpu gpu) {
        return gpu.minor() == 0 && gpu.major() != 12;
    }
}
