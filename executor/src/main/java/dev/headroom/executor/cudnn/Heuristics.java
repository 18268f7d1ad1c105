package dev.headroom.executor.cudnn;

import static org.bytedeco.cuda.global.cudnn.*;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.CudnnDevice;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.cuda.cudnn.cudnnBackendDescriptor_t;

/** cuDNN's heuristics for one GPU, filtered as PyTorch filters them. */
final class Heuristics implements AutoCloseable {
    /** A plan that the GPU can run: its engine and bytes of workspace. */
    record Plan(long engine, long workspace) {}

    private final Descriptors kept = new Descriptors();
    private final cudnnBackendDescriptor_t device;

    Heuristics(CudnnDevice gpu) {
        device = kept.create(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
        kept.setText(device, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, DeviceProperties.json(gpu));
        kept.finish(device);
    }

    /**
     * The plans that PyTorch tries, in its order: those of mode INSTANT, then those of mode FALLBACK.
     *
     * @param all whether all are wanted, or the first alone
     */
    List<Plan> plans(ConvolutionProblem problem, boolean all) {
        try (Descriptors d = new Descriptors()) {
            cudnnBackendDescriptor_t graph = OperationGraph.of(d, problem);
            List<Plan> out = new ArrayList<>();
            for (int mode : new int[] {CUDNN_HEUR_MODE_INSTANT, CUDNN_HEUR_MODE_FALLBACK}) {
                for (cudnnBackendDescriptor_t configuration : configurations(d, graph, mode)) {
                    if (!all && !out.isEmpty()) {
                        return out;
                    }
                    if (!isFiltered(d, configuration)) {
                        plan(d, configuration, out);
                    }
                }
            }
            return out;
        }
    }

    private List<cudnnBackendDescriptor_t> configurations(Descriptors d, cudnnBackendDescriptor_t graph, int mode) {
        cudnnBackendDescriptor_t heuristics = d.create(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
        d.setDescriptor(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
        d.setEnum(heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
        d.setDescriptor(heuristics, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, device);
        d.finish(heuristics);
        return d.getDescriptors(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    }

    /** filterEngineConfigs: TF32 is allowed and determinism not asked for, which are PyTorch's defaults. */
    private static boolean isFiltered(Descriptors d, cudnnBackendDescriptor_t configuration) {
        for (int note : d.getEnums(
                engine(d, configuration),
                CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                CUDNN_TYPE_NUMERICAL_NOTE,
                CUDNN_NUMERICAL_NOTE_TYPE_COUNT)) {
            if (note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS) {
                return true;
            }
        }
        return false;
    }

    private static cudnnBackendDescriptor_t engine(Descriptors d, cudnnBackendDescriptor_t configuration) {
        return d.getDescriptors(configuration, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR)
                .get(0);
    }

    private void plan(Descriptors d, cudnnBackendDescriptor_t configuration, List<Plan> out) {
        cudnnBackendDescriptor_t plan = d.create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
        d.setDescriptor(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
        d.setDescriptor(plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, device);
        if (d.finishes(plan)) {
            long engine = d.getLong(engine(d, configuration), CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
            out.add(new Plan(engine, d.getLong(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE)));
        }
    }

    @Override
    public void close() {
        kept.close();
    }
}
