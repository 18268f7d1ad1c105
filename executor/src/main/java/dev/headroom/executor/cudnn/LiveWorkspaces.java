package dev.headroom.executor.cudnn;

import dev.headroom.executor.cuda.driver.CudaDevice;
import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.executor.cuda.runtime.CudaContext;
import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import dev.headroom.model.cudnn.WorkspaceLevel;
import dev.headroom.model.cudnn.WorkspaceSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Workspaces as cuDNN tells them with a handle of this machine's first GPU, as PyTorch asks for them. Only with one
 * does cuDNN know the multiprocessors, of which sums are split, and all of its engines. The handle needs a context,
 * which takes memory of the GPU until this is closed or the process ends; it is made with the first question. Of
 * another GPU, or where there is none or no room for a context, it knows nothing.
 */
public final class LiveWorkspaces implements WorkspaceSource, AutoCloseable {
    private boolean tried;
    private @Nullable CudaContext context;
    private @Nullable CudnnDevice own;
    private @Nullable Heuristics heuristics;

    @Override
    public WorkspaceLevel level() {
        return WorkspaceLevel.LIVE;
    }

    @Override
    public synchronized String description() {
        return heuristics == null ? "no GPU" : AskedWorkspaces.version() + " with a handle";
    }

    @Override
    public boolean seesDriver() {
        return true;
    }

    @Override
    public synchronized Optional<WorkspaceAnswer> answer(ConvolutionProblem problem, CudnnDevice gpu) {
        if (!tried) {
            tried = true;
            open();
        }
        if (heuristics == null || !gpu.equals(own)) {
            return Optional.empty();
        }
        try {
            return heuristics.workspace(level(), problem, this);
        } catch (CudaException e) {
            return Optional.empty(); // a type that this cuDNN does not know
        }
    }

    private void open() {
        try {
            CudaContext made = CudaContext.open(0);
            context = made;
            CudaDevice device = made.device();
            own = new CudnnDevice(device.major(), device.minor(), device.sms());
            heuristics = new Heuristics(PlanTarget.of(made.dnn()));
        } catch (CudaException e) {
            close();
        }
    }

    /** Gives the context back; what is asked later has no answer. */
    @Override
    public synchronized void close() {
        heuristics = null;
        if (context != null) {
            context.close();
            context = null;
        }
    }
}
