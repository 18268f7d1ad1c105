package dev.headroom.model.family;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import java.util.Map;

/** Models that hold a row for each position: where a sequence is longer, an index of theirs has no row. */
final class LearnedPositions {
    /**
     * The rows of a family.
     *
     * @param usual how many there are where the config does not say
     * @param skipped those before the first position, as RoBERTa counts from behind the padding's number
     */
    private record Rows(long usual, long skipped) {}

    private static final Map<String, Rows> BY_TYPE = Map.of(
            "gpt2", new Rows(1024, 0),
            "gpt_bigcode", new Rows(1024, 0),
            "gptj", new Rows(2048, 0),
            "opt", new Rows(2048, 0),
            "bert", new Rows(512, 0),
            "electra", new Rows(512, 0),
            "distilbert", new Rows(512, 0),
            "roberta", new Rows(512, 2),
            "xlm-roberta", new Rows(512, 2),
            "camembert", new Rows(512, 2));

    private LearnedPositions() {}

    /** @throws UserInputException where a sequence, with what is generated behind it, is longer than there are rows */
    static void check(Request request) {
        ModelConfig c = request.config();
        Rows rows = BY_TYPE.get(c.modelType());
        if (rows == null) {
            return;
        }
        long longest = c.size("n_positions", c.size("max_position_embeddings", rows.usual)) - rows.skipped;
        // The last new token is not given to the model any more.
        long generated = Math.max(0, request.scenario().generation().tokens() - 1);
        if (request.seq() + generated > longest) {
            throw new UserInputException("`seq=" + request.seq() + "`"
                    + (generated > 0 ? " with " + (generated + 1) + " new tokens" : "") + " is more than the " + longest
                    + " positions that the model has");
        }
    }
}
