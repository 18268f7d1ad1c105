package dev.headroom.app.command;

import dev.headroom.app.option.BadOption;
import dev.headroom.app.option.Candidates;
import dev.headroom.app.option.Choice;
import dev.headroom.app.option.WholeNumbers;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headroom export-help}: Python that makes the archive, or the plan, of a library's model. */
@Command(
        name = "export-help",
        description = "Prints Python that exports a model of torchvision, timm or transformers.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        footer = {"", "Try it: headroom export-help torchvision resnet50 | python -"})
final class ExportHelpCommand implements Callable<Integer> {
    /** What the snippets of transformers are made for. */
    private static final String[] HEADS = {
        "causal-lm", "seq2seq-lm", "masked-lm", "sequence-classification", "image-classification"
    };

    private static final String[] LIBRARIES = {"torchvision", "timm", "transformers"};

    @Spec
    CommandSpec spec;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "LIBRARY",
            completionCandidates = Libraries.class,
            description = "torchvision, timm or transformers.")
    @Nullable
    String library;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "NAME",
            description = "As the library knows the model: resnet50, vit_base_patch16_224, openai-community/gpt2.")
    @Nullable
    String name;

    @Option(
            names = "--head",
            paramLabel = "KIND",
            completionCandidates = Heads.class,
            description = "transformers: causal-lm, seq2seq-lm, masked-lm, sequence-classification or"
                    + " image-classification (default: the one that the name tells).")
    @Nullable
    String head;

    @Option(
            names = "--size",
            paramLabel = "N",
            description = "Tokens in a sequence (default 512), or pixels of an image's side (default 224).")
    @Nullable
    String size;

    @Option(
            names = "--compile",
            description = "Prints the module that writes the plan of a run under torch.compile; with LIBRARY and NAME,"
                    + " a program that does so for a model.")
    boolean compile;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        if (library == null && compile) {
            out.print(ExportSnippet.ofPlans());
            out.flush();
            return ExitStatus.OK;
        }
        if (library == null || name == null) {
            throw new BadOption("export-help needs LIBRARY and NAME, such as torchvision resnet50");
        }
        String kind = Choice.of("LIBRARY", library, LIBRARIES, word -> word);
        if (head != null && !kind.equals("transformers")) {
            throw new BadOption("--head: only models of transformers have heads; leave it out");
        }
        if (size != null && kind.equals("timm")) {
            throw new BadOption("--size: timm's models say their own image size; leave it out");
        }
        if (kind.equals("transformers")) {
            kind = head == null ? UsualHead.of(name) : Choice.of("--head", head, HEADS, word -> word);
        }
        boolean images = kind.equals("torchvision") || kind.equals("image-classification");
        long side = size == null ? images ? 224 : 512 : WholeNumbers.parse("--size", size, 1, 1 << 20);
        out.print(compile ? ExportSnippet.ofPlan(kind, name, side) : ExportSnippet.of(kind, name, side));
        out.flush();
        return ExitStatus.OK;
    }

    static final class Libraries extends Candidates.Words {
        Libraries() {
            super(LIBRARIES);
        }
    }

    static final class Heads extends Candidates.Words {
        Heads() {
            super(HEADS);
        }
    }
}
