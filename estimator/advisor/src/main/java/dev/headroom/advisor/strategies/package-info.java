/**
 * Ways to spread a run over several GPUs, played and ranked: those that fit, the ones that communicate least first. A
 * new way is a row of {@link dev.headroom.advisor.strategies.StrategyTable}.
 */
@NullMarked
package dev.headroom.advisor.strategies;

import org.jspecify.annotations.NullMarked;
