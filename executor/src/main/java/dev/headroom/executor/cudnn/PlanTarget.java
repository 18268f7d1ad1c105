package dev.headroom.executor.cudnn;

import static org.bytedeco.cuda.global.cudnn.CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION;
import static org.bytedeco.cuda.global.cudnn.CUDNN_ATTR_ENGINEHEUR_DEVICEPROP;
import static org.bytedeco.cuda.global.cudnn.CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP;
import static org.bytedeco.cuda.global.cudnn.CUDNN_ATTR_EXECUTION_PLAN_HANDLE;
import static org.bytedeco.cuda.global.cudnn.CUDNN_ATTR_OPERATIONGRAPH_HANDLE;
import static org.bytedeco.cuda.global.cudnn.CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR;
import static org.bytedeco.cuda.global.cudnn.CUDNN_TYPE_CHAR;

import dev.headroom.model.cudnn.CudnnDevice;
import org.bytedeco.cuda.cudnn.cudnnBackendDescriptor_t;
import org.bytedeco.cuda.cudnn.cudnnContext;

/** The GPU that plans are made for, as cuDNN is told of it. */
public abstract class PlanTarget {
    PlanTarget() {}

    /** The GPU of a handle: its plans can run. */
    public static PlanTarget of(cudnnContext handle) {
        return new PlanTarget() {
            @Override
            void tellGraph(Descriptors d, cudnnBackendDescriptor_t graph) {
                d.setHandle(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle);
            }

            @Override
            void tellHeuristics(Descriptors d, cudnnBackendDescriptor_t heuristics) {
                // It is the graph's.
            }

            @Override
            void tellPlan(Descriptors d, cudnnBackendDescriptor_t plan) {
                d.setHandle(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle);
            }
        };
    }

    /**
     * A GPU that need not be there, for cuDNN 9.8 or newer.
     *
     * @throws dev.headroom.executor.cuda.driver.CudaException when this cuDNN does not know it
     */
    public static PlanTarget of(CudnnDevice gpu) {
        cudnnBackendDescriptor_t device = described(gpu);
        return new PlanTarget() {
            @Override
            void tellGraph(Descriptors d, cudnnBackendDescriptor_t graph) {
                // A graph is of no GPU.
            }

            @Override
            void tellHeuristics(Descriptors d, cudnnBackendDescriptor_t heuristics) {
                d.setDescriptor(heuristics, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, device);
            }

            @Override
            void tellPlan(Descriptors d, cudnnBackendDescriptor_t plan) {
                d.setDescriptor(plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, device);
            }
        };
    }

    /** Lives as long as the process: GPUs are few. */
    private static cudnnBackendDescriptor_t described(CudnnDevice gpu) {
        Descriptors made = new Descriptors();
        boolean ready = false;
        try {
            cudnnBackendDescriptor_t device = made.create(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
            made.setText(
                    device, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, DeviceProperties.json(gpu));
            made.finish(device);
            ready = true;
            return device;
        } finally {
            if (!ready) {
                made.close();
            }
        }
    }

    abstract void tellGraph(Descriptors d, cudnnBackendDescriptor_t graph);

    abstract void tellHeuristics(Descriptors d, cudnnBackendDescriptor_t heuristics);

    abstract void tellPlan(Descriptors d, cudnnBackendDescriptor_t plan);
}
