package dev.headroom.validation.generate;

import java.util.List;

/**
 * A wish for a model.
 *
 * @param form what it is fed with
 * @param sizes of the input, at least three numbers from 0 on
 * @param head choices of how it ends
 * @param wide linear layers several times as wide
 */
public record ModelWish(Form form, List<Integer> sizes, List<Block> blocks, int head, boolean wide) {
    /** Kinds of input. */
    public enum Form {
        FEATURES,
        IMAGE,
        SEQUENCE,
        TOKENS
    }

    /** The model. */
    public RandomModel model() {
        return switch (form) {
            case FEATURES -> plain(List.of(1L + sizes.get(0)));
            case IMAGE -> plain(List.of(1L + sizes.get(0) % 5, 1L + sizes.get(1) % 33, 1L + sizes.get(2) % 33));
            case SEQUENCE -> plain(List.of(1L + sizes.get(0) % 40, 1L + sizes.get(1) % 80));
            case TOKENS -> tokens();
        };
    }

    private RandomModel plain(List<Long> input) {
        Fitting fitting = new Fitting(input, false, wide);
        blocks.forEach(fitting::add);
        if (head % 3 == 1) {
            fitting.add(new Block(Block.Kind.FLATTEN, 0, 0, List.of()));
        }
        if (head % 3 != 0 || !fitting.trained()) {
            fitting.add(new Block(Block.Kind.LINEAR, head / 3 % 40, head / 120, List.of()));
        }
        return new RandomModel(input, 0, fitting.chain(), fitting.sizes());
    }

    private RandomModel tokens() {
        long length = 1L + sizes.get(0) % 40;
        long width = (1L + sizes.get(1) % 12) * (1L + sizes.get(2) % 8);
        long vocabulary = 2 + sizes.get(2) * (wide ? 37L : 3L);
        List<Long> rows = List.of(length, width);
        Fitting fitting = new Fitting(rows, true, wide);
        for (Block b : blocks) {
            fitting.addWhileReaching(b, rows);
        }
        fitting.reach(rows);
        boolean loss = head % 2 == 0;
        RandomLayer root =
                new RandomLayer.LanguageModel(vocabulary, length, width, fitting.chain(), head / 2 % 2 == 0, loss);
        return new RandomModel(List.of(length), vocabulary, root, loss ? List.of() : List.of(length, vocabulary));
    }
}
