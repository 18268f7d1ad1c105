package dev.headroom.estimator.parallel.pipeline;

import dev.headroom.estimator.parallel.pipeline.Peers.Op;
import dev.headroom.estimator.parallel.pipeline.Peers.Work;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Names in a schedule's function that hold tensors, operations and works until they are bound anew. */
final class Variables {
    private final EagerRuntime runtime;
    private final Peers peers;
    private @Nullable Tensor output;
    private List<Op> forwardSends = List.of();
    private List<Op> backwardSends = List.of();
    private List<Work> sendWork = List.of();
    private final List<Work> kept = new ArrayList<>();

    Variables(EagerRuntime runtime, Peers peers) {
        this.runtime = runtime;
        this.peers = peers;
    }

    Tensor bindOutput(Tensor made) {
        runtime.hold(made);
        runtime.release(output);
        output = made;
        return made;
    }

    /** get_fwd_send_ops. */
    List<Op> bindForwardSends(Stage stage, int microbatch, int peer) {
        List<Op> before = forwardSends;
        forwardSends = forwardSends(stage, microbatch, peer);
        peers.drop(before);
        return forwardSends;
    }

    private List<Op> forwardSends(Stage stage, int microbatch, int peer) {
        if (stage.isLast()) {
            return List.of();
        }
        try (Frame frame = runtime.frame()) {
            return List.of(peers.send(stage.sentOutput(microbatch), peer));
        }
    }

    List<Op> forwardSends() {
        return forwardSends;
    }

    /** get_bwd_send_ops: the stage has the gradient no more. */
    List<Op> bindBackwardSends(Stage stage, int microbatch, int peer) {
        List<Op> before = backwardSends;
        Tensor gradient = stage.isFirst() ? null : stage.takeInputGradient(microbatch);
        backwardSends = gradient == null ? List.of() : List.of(peers.send(gradient, peer));
        runtime.release(gradient);
        peers.drop(before);
        return backwardSends;
    }

    List<Op> backwardSends() {
        return backwardSends;
    }

    /** {@code send_work = _batch_p2p(…)}. */
    void bindSendWork(List<Work> works) {
        peers.forget(sendWork);
        sendWork = works;
    }

    List<Work> sendWork() {
        return sendWork;
    }

    /** Works of a list that grows. */
    void keep(List<Work> works) {
        kept.addAll(works);
    }

    List<Work> kept() {
        return kept;
    }

    /** Asks, waits, and forgets: {@code _wait_batch_p2p(_batch_p2p(ops))}. */
    void now(List<Op> ops) {
        List<Work> works = peers.batch(ops);
        peers.waitFor(works);
        peers.forget(works);
    }

    /** The same, of a list that nobody else has. */
    void nowAndDrop(List<Op> ops) {
        now(ops);
        peers.drop(ops);
    }

    /** The function returns. */
    void end() {
        runtime.release(output);
        peers.drop(forwardSends);
        peers.drop(backwardSends);
        peers.forget(sendWork);
        peers.forget(kept);
    }
}
