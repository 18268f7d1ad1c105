package dev.headroom.estimator.runtime;

import dev.headroom.model.error.UserInputException;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is different in a backward pass that is recorded itself ({@code create_graph=True}): nodes compute with
 * variables, so that what they save leads on to the passes after.
 */
public final class RecordedPass {
    private final EagerRuntime runtime;
    private final Map<String, Integer> unknown = new TreeMap<>();

    RecordedPass(EagerRuntime runtime) {
        this.runtime = runtime;
    }

    /** A node's result through which gradients flow: where the node keeps it, that is this result. */
    static void note(GradNode node, Tensor out, int number) {
        for (int i = 0; i < node.saved.size(); i++) {
            Saved s = node.saved.get(i);
            Tensor kept = s.keptResult();
            if (kept != null && kept.storage() == out.storage()) {
                s.result = number;
            }
        }
    }

    /** Runs a node. */
    Tensor[] run(GradNode node, GradNode.Backward plain, Tensor[] given) {
        try {
            return of(node, plain).apply(given);
        } catch (ArithmeticException | IndexOutOfBoundsException | NegativeArraySizeException e) {
            throw new UserInputException(
                    node.name + " of '" + runtime.attribution(node.attribution).module()
                            + "': what its operator was given does not go together; if PyTorch runs it, please report"
                            + " this",
                    e);
        }
    }

    /** How a node runs: recorded, where that is known. */
    private GradNode.Backward of(GradNode node, GradNode.Backward plain) {
        if (!runtime.gradMode()) {
            return plain;
        }
        GradNode.Backward recorded = node.again;
        if (recorded == null) {
            note(node.name + " under create_graph");
            return plain;
        }
        return given -> {
            become(node);
            try {
                return recorded.apply(given);
            } finally {
                node.saved.forEach(s -> s.become(null));
            }
        };
    }

    /** Gives results that a node kept their history (SavedVariable::unpack); they are locals of the running frame. */
    private void become(GradNode node) {
        for (Saved s : node.saved) {
            Tensor kept = s.keptResult();
            if (s.result >= 0 && kept != null) {
                Tensor variable = Tape.alias(kept);
                variable.incrementRefs();
                runtime.tape().setHistory(variable, node, s.result);
                runtime.adopt(variable);
                s.become(variable);
            }
        }
    }

    /** What is played in part only. */
    public void note(String what) {
        unknown.merge(what, 1, Integer::sum);
    }

    /** Nodes that ran in such a pass without being recorded, and what else is played in part, by name. */
    public Map<String, Integer> unknown() {
        return unknown;
    }
}
