/**
 * What a rule is: one call of an operator with its arguments filled in, the rule that plays it, and the registry that a
 * family's table adds its rules to. {@link dev.headroom.estimator.op.rule.Rule} is where to begin;
 * {@link dev.headroom.estimator.op.rule.Registry} finds one by the operator's name.
 */
@NullMarked
package dev.headroom.estimator.op.rule;

import org.jspecify.annotations.NullMarked;
