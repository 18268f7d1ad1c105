package dev.headroom.app.command;

import dev.headroom.app.catalogue.TablesAhead;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs the common commands without output. The launcher calls it once after a build, so that the JVM can store the
 * classes that they load.
 */
final class WarmUp {
    private static final String DECODER = "qwen3-0.6b --set num_hidden_layers=2 --batch 2 --seq 8";

    private static final List<String> COMMANDS = List.of(
            "predict MODEL --batch 2 --gpu rtx-3090",
            "predict MODEL --batch 2 --json",
            "predict MODEL --batch 2 --layers",
            "predict MODEL --batch 2 --compile --gpu rtx-3090",
            "predict MODEL --batch 2 --parallel fsdp2 --world 2 --rank 0",
            "advise MODEL --batch 2 --limit 500MiB",
            "explain MODEL --batch 2 --gpu rtx-3090",
            "predict " + DECODER + " --gpu rtx-4090",
            "predict " + DECODER + " --quant nf4 --lora 16 --checkpoint 1 --optimizer paged-adamw8bit",
            "predict " + DECODER + " --checkpoint 1 --dtype bf16 --parallel 3d --world 8 --mesh 2x2x2 --build meta"
                    + " --microbatches 2 --rank 0",
            "advise " + DECODER + " --limit 4GiB",
            "replay SNAPSHOT",
            "devices",
            "--help");

    private WarmUp() {}

    /** @param args an archive of a model, a memory snapshot, and, where there is one, a plan of torch.compile */
    public static void main(String[] args) {
        new TablesAhead().run();
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        List<String> commands = new ArrayList<>(COMMANDS);
        if (args.length > 2) {
            commands.add("predict PLAN --gpu rtx-3090");
        }
        Map<String, String> files =
                Map.of("MODEL", args[0], "SNAPSHOT", args[1], "PLAN", args.length > 2 ? args[2] : "PLAN");
        for (String command : commands) {
            String[] words = command.split(" ");
            for (int i = 0; i < words.length; i++) {
                words[i] = files.getOrDefault(words[i], words[i]);
            }
            Main.run(nowhere, nowhere, words);
        }
    }
}
