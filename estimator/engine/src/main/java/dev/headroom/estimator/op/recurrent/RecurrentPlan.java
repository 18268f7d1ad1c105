package dev.headroom.estimator.op.recurrent;

import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.RecurrentAlgorithm;
import dev.headroom.model.cudnn.RecurrentProblem;
import dev.headroom.model.cudnn.RecurrentSpaces;

/** Sizes of recurrent layers: what cuDNN asks for in each pass, or the stub that recordings are made with. */
record RecurrentPlan(RecurrentProblem problem, RecurrentSpaces forward, RecurrentSpaces backward) {
    static RecurrentPlan of(EagerRuntime rt, RecurrentProblem p, boolean train) {
        if (rt.options().stubCudnn()) {
            RecurrentSpaces stub = stub(p);
            return new RecurrentPlan(p, stub, stub);
        }
        DeviceModel gpu = rt.device();
        CudnnDevice device = new CudnnDevice(gpu.major(), gpu.minor(), gpu.sms());
        RecurrentAlgorithm forward = RecurrentAlgorithm.of(p, false, device);
        RecurrentAlgorithm backward = RecurrentAlgorithm.of(p, true, device);
        return new RecurrentPlan(
                p,
                train ? RecurrentSpaces.training(p, forward, device) : RecurrentSpaces.inference(p, forward, device),
                RecurrentSpaces.training(p, backward, device));
    }

    /**
     * The stub's workspace is the products of a layer's input with its weights, and what is handed over between
     * layers; its reserve the activated gates and the states.
     */
    private static RecurrentSpaces stub(RecurrentProblem p) {
        long layer =
                p.steps() * p.batch() * p.hidden() * p.directions() * p.type().bytes();
        int states = p.gates() > 1 ? 2 : 1;
        return new RecurrentSpaces(
                layer * (p.gates() + (p.layers() > 1 ? 2 : 0)), layer * p.layers() * (p.gates() + states));
    }

    /** Of the last layer's output. */
    long[] outputSizes() {
        return new long[] {problem.steps(), problem.batch(), problem.output() * problem.directions()};
    }

    /** Elements of both biases of all gates. */
    long biases() {
        return 2L * problem.layers() * problem.directions() * problem.gates() * problem.hidden();
    }
}
