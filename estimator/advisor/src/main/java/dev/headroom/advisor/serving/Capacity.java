package dev.headroom.advisor.serving;

import java.util.List;

/**
 * What a card serves.
 *
 * @param room bytes that the allocator can reserve
 * @param rows one for each length of prompts
 * @param longest prompt of one request alone, in tokens, rounded down to {@link ServeCapacity#LENGTHS}; 0 when none
 *     fits
 */
public record Capacity(long room, List<Row> rows, long longest) {
    public Capacity {
        rows = List.copyOf(rows);
    }

    /**
     * Requests of one length.
     *
     * @param prompt tokens of a prompt
     * @param requests how many of them fit at once; 0 for none
     * @param tokens that the cache holds at the end of so many requests
     * @param reserved peak of so many requests, bytes; of one that does not fit, up to where memory ran out
     * @param cachePerToken bytes that a token more in the cache takes
     * @param peakPerToken bytes that a request more adds to the peak, by its tokens
     */
    public record Row(
            long prompt, long requests, long tokens, long reserved, double cachePerToken, double peakPerToken) {}
}
