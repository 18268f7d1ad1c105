package dev.headroom.advisor.explain;

import java.util.List;

/**
 * A question and its answer.
 *
 * @param key one word, for programs
 * @param question a sentence
 * @param answer sentences, the most important first
 * @param accounts the numbers behind it
 */
public record Finding(String key, String question, List<String> answer, List<Account> accounts) {
    /** @param answer copied */
    public Finding {
        answer = List.copyOf(answer);
        accounts = List.copyOf(accounts);
    }
}
