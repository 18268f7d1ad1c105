package dev.headroom.model.run;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.quant.pass.Preparing;
import dev.headroom.model.scenario.Checkpointing;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;

/**
 * Who switches a library's checkpoints on: the Trainer and peft's {@code prepare_model_for_kbit_training} do it
 * themselves, for every layer and on the device, whatever a script asked of {@code gradient_checkpointing_enable}.
 */
final class LibraryCheckpoints {
    private LibraryCheckpoints() {}

    private static boolean isTold(Scenario run) {
        Checkpointing asked = run.checkpointing();
        boolean narrowed = asked.every() > 1 || asked.offload();
        return narrowed
                && asked.any()
                && asked.modules().isEmpty()
                && (run.trainer().loop().isTrainer() || Preparing.casts(run));
    }

    /** The scenario as the libraries run it. */
    static Scenario applied(Scenario run) {
        return isTold(run)
                ? run.withCheckpointing(run.checkpointing().withEvery(1).withOffload(false))
                : run;
    }

    /** The graph with a line for the user where something asked for has no effect. */
    static Graph noted(Graph graph, Scenario asked) {
        if (!isTold(asked)) {
            return graph;
        }
        String option = asked.checkpointing().every() > 1 ? "`checkpoint_every`" : "`checkpoint_offload`";
        String who = asked.trainer().loop().isTrainer() ? "the Trainer" : "prepare_model_for_kbit_training";
        List<String> notes = new ArrayList<>(graph.held().notes());
        notes.add(option + ": " + who + " checkpoints every layer, on the device; it is left out");
        return graph.withHeld(graph.held().withNotes(notes));
    }
}
