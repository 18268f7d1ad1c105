/**
 * Plays variants of a run. A variant is a {@link dev.headroom.model.scenario.Scenario} of the same graph;
 * {@link dev.headroom.advisor.variants.VariantPlayer} plays each once, on the device of the question or with room for
 * anything, and remembers how it went. Explanations, plans and the search for checkpoints all play their variants here.
 * Why a variant is worth playing is not known here.
 */
@NullMarked
package dev.headroom.advisor.variants;

import org.jspecify.annotations.NullMarked;
