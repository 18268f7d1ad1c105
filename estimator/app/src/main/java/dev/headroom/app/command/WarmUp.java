package dev.headroom.app.command;

import java.io.PrintWriter;
import java.io.Writer;

/**
 * Runs the common commands without output. The launcher calls it once after a build, so that the JVM can store the
 * classes that they load.
 */
final class WarmUp {
    private WarmUp() {}

    /** @param args an archive of a model, a memory snapshot, and, where there is one, a plan of torch.compile */
    public static void main(String[] args) {
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        Cli cli = new Cli(Services.REAL, false);
        cli.run(nowhere, nowhere, "predict", args[0], "--batch", "2", "--gpu", "rtx-3090");
        cli.run(nowhere, nowhere, "predict", args[0], "--batch", "2", "--json");
        cli.run(nowhere, nowhere, "predict", args[0], "--batch", "2", "--layers");
        cli.run(nowhere, nowhere, "advise", args[0], "--batch", "2", "--limit", "500MiB");
        cli.run(nowhere, nowhere, "explain", args[0], "--batch", "2", "--gpu", "rtx-3090");
        cli.run(
                nowhere,
                nowhere,
                "predict",
                args[0],
                "--batch",
                "2",
                "--parallel",
                "fsdp2",
                "--world",
                "2",
                "--rank",
                "0");
        cli.run(
                nowhere,
                nowhere,
                ("predict qwen3-0.6b --set num_hidden_layers=2 --batch 2 --seq 8 --steps 1 --checkpoint 1 --parallel"
                                + " 3d --world 8 --mesh 2x2x2 --build meta --microbatches 2 --rank 0 --dtype bf16")
                        .split(" "));
        cli.run(nowhere, nowhere, "replay", args[1]);
        if (args.length > 2) {
            cli.run(nowhere, nowhere, "predict", args[2], "--gpu", "rtx-3090");
        }
        cli.run(nowhere, nowhere, "devices");
        cli.run(nowhere, nowhere, "--help");
    }
}
