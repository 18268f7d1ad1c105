package dev.headroom.model.cudnn;

import java.util.List;
import java.util.function.Supplier;

/**
 * The workspaces that a convolution may get.
 *
 * @param first bytes of the plan that PyTorch tries first, and takes if memory allows
 * @param all bytes of all plans in the order in which PyTorch tries them, the first among them; asked for only when
 *     memory is short
 * @param least bytes that the first plan needs at least
 * @param most bytes that it needs at most
 */
public record WorkspaceAnswer(WorkspaceLevel level, long first, Supplier<List<Long>> all, long least, long most) {
    /** An answer that is sure of the first plan. */
    public static WorkspaceAnswer exact(WorkspaceLevel level, long first, Supplier<List<Long>> all) {
        return new WorkspaceAnswer(level, first, all, first, first);
    }

    /** The same workspace whatever happens. */
    public static WorkspaceAnswer fixed(WorkspaceLevel level, long bytes) {
        return exact(level, bytes, () -> List.of(bytes));
    }
}
