/**
 * What a rule is: one call of an operator with its arguments filled in, the rule that plays it, and the registry that a
 * family's table adds its rules to.
 */
@NullMarked
package dev.headroom.estimator.op.rule;

import org.jspecify.annotations.NullMarked;
