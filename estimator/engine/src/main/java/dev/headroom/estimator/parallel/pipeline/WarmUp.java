package dev.headroom.estimator.parallel.pipeline;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.List;

/**
 * The first step begins with a vote on whether all stages have static shapes, which goes down the stages and back
 * (torch/distributed/pipelining/stage.py, _warmup_forward_vote and _warmup_backward_result).
 */
final class WarmUp {
    private final EagerRuntime runtime;
    private final Peers peers;
    private final StagePlan plan;
    private final int rank;

    WarmUp(EagerRuntime runtime, Peers peers, StagePlan plan, int rank) {
        this.runtime = runtime;
        this.peers = peers;
        this.plan = plan;
        this.rank = rank;
    }

    private Tensor number() {
        return runtime.empty(DType.INT32, 1);
    }

    private boolean here(int stage) {
        return plan.rankOf(stage) == rank;
    }

    void vote(List<Stage> stages) {
        Tensor sum = null;
        for (Stage stage : stages) {
            Tensor before = sum;
            sum = forward(stage);
            runtime.free(before);
        }
        Tensor result = sum;
        for (int k = stages.size() - 1; k >= 0; k--) {
            Stage stage = stages.get(k);
            boolean own = stage.isLast() || here(stage.index() + 1);
            if (!own) {
                Tensor received = number();
                peers.exchange(false, received.nbytes(), DType.INT32, plan.rankOf(stage.index() + 1));
                runtime.free(received);
            }
            if (!stage.isFirst() && !here(stage.index() - 1)) {
                peers.exchange(true, DType.INT32.bytes(), DType.INT32, plan.rankOf(stage.index() - 1));
            }
            Tensor answer = number();
            if (result != sum) {
                runtime.free(result);
            }
            result = answer;
        }
        runtime.free(sum);
        runtime.free(result);
    }

    private Tensor forward(Stage stage) {
        Tensor vote = number();
        Tensor sum = vote;
        if (!stage.isFirst() && here(stage.index() - 1)) {
            sum = number();
            runtime.free(vote);
        } else if (!stage.isFirst()) {
            Tensor received = number();
            peers.exchange(false, received.nbytes(), DType.INT32, plan.rankOf(stage.index() - 1));
            sum = number();
            runtime.free(received);
            if (!stage.isLast() && !here(stage.index() + 1)) {
                peers.exchange(true, sum.nbytes(), DType.INT32, plan.rankOf(stage.index() + 1));
            }
            runtime.free(vote);
            return sum;
        }
        if (!stage.isLast() && !here(stage.index() + 1)) {
            peers.exchange(true, sum.nbytes(), DType.INT32, plan.rankOf(stage.index() + 1));
        }
        return sum;
    }
}
