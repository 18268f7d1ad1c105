package dev.headroom.app.option;

import dev.headroom.model.device.GpuCatalogue;
import java.util.Iterator;
import java.util.List;

/** The words that options take, for tab completion; read only when a completion script is made. */
public final class Candidates {
    private Candidates() {}

    /** Cards of the catalogue. */
    static final class Gpus implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return GpuCatalogue.names().iterator();
        }
    }

    /** Fixed words. */
    public abstract static class Words implements Iterable<String> {
        private final List<String> words;

        protected Words(String... words) {
            this.words = List.of(words);
        }

        @Override
        public Iterator<String> iterator() {
            return words.iterator();
        }
    }
}
