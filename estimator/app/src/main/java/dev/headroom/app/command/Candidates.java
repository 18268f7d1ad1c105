package dev.headroom.app.command;

import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.OptionNames;
import dev.headroom.model.scenario.Scenario;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/** The words that options take, for tab completion; read only when a completion script is made. */
final class Candidates {
    private Candidates() {}

    /** Cards of the catalogue. */
    static final class Gpus implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return GpuCatalogue.names().iterator();
        }
    }

    /** Optimizers. */
    static final class Optimizers implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(OptimizerKind.values())
                    .map(OptimizerKind::option)
                    .iterator();
        }
    }

    /** Kernels of scaled dot product attention. */
    static final class Attentions implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(Scenario.Attention.values())
                    .map(OptionNames::of)
                    .iterator();
        }
    }

    /** Sources of cuDNN workspaces. */
    static final class Workspaces implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.concat(Arrays.stream(Scenario.Workspaces.values()).map(OptionNames::of), Stream.of("none"))
                    .iterator();
        }
    }

    /** Fixed words. */
    abstract static class Words implements Iterable<String> {
        private final List<String> words;

        Words(String... words) {
            this.words = List.of(words);
        }

        @Override
        public Iterator<String> iterator() {
            return words.iterator();
        }
    }

    static final class Foreach extends Words {
        Foreach() {
            super("auto", "true", "false");
        }
    }

    static final class Booleans extends Words {
        Booleans() {
            super("true", "false");
        }
    }

    static final class Types extends Words {
        Types() {
            super("fp32", "fp16", "bf16");
        }
    }

    static final class AutocastTypes extends Words {
        AutocastTypes() {
            super("fp16", "bf16");
        }
    }

    static final class Losses extends Words {
        Losses() {
            super("cross-entropy", "mse", "sum", "output");
        }
    }
}
