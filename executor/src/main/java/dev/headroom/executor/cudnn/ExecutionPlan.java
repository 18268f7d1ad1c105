package dev.headroom.executor.cudnn;

import static org.bytedeco.cuda.global.cudnn.CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS;
import static org.bytedeco.cuda.global.cudnn.CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS;
import static org.bytedeco.cuda.global.cudnn.CUDNN_ATTR_VARIANT_PACK_WORKSPACE;
import static org.bytedeco.cuda.global.cudnn.CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR;

import dev.headroom.executor.cuda.driver.CudaStatus;
import org.bytedeco.cuda.cudnn.cudnnBackendDescriptor_t;
import org.bytedeco.cuda.cudnn.cudnnContext;
import org.bytedeco.cuda.global.cudnn;

/** One of cuDNN's engines, ready to run one convolution. */
public final class ExecutionPlan implements AutoCloseable {
    private final Descriptors kept;
    private final cudnnBackendDescriptor_t plan;
    private final long engine;
    private final long workspace;

    /** @param kept the plan and what it is made of, to be destroyed with it */
    ExecutionPlan(Descriptors kept, cudnnBackendDescriptor_t plan, long engine, long workspace) {
        this.kept = kept;
        this.plan = plan;
        this.engine = engine;
        this.workspace = workspace;
    }

    /** The engine's number among those of its operation. */
    public long engine() {
        return engine;
    }

    /** Bytes of workspace that it needs. */
    public long workspace() {
        return workspace;
    }

    /**
     * Starts it (Conv_v8.cpp, run_conv_plan).
     *
     * @param x address of the input or of its gradient; {@code w} and {@code y} likewise
     * @param workspace address of as many bytes as it needs, 0 when it needs none
     * @throws dev.headroom.executor.cuda.driver.CudaException when cuDNN cannot run it after all
     */
    public void execute(cudnnContext handle, long x, long w, long y, long workspace) {
        try (Descriptors d = new Descriptors()) {
            cudnnBackendDescriptor_t pack = d.create(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
            d.setLongs(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, OperationGraph.X, OperationGraph.W, OperationGraph.Y);
            d.setAddresses(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, x, w, y);
            if (workspace != 0) {
                d.setAddresses(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, workspace);
            }
            d.finish(pack);
            CudaStatus.dnn("cudnnBackendExecute", cudnn.cudnnBackendExecute(handle, plan, pack));
        }
    }

    @Override
    public void close() {
        kept.close();
    }
}
