/**
 * What AOTAutograd and Inductor make of ATen calls: decompositions and derivatives as tables of rules, an operator
 * each (torch/_decomp/decompositions.py, torch/_inductor/decomposition.py, tools/autograd/derivatives.yaml). An
 * operator without a rule is a call of an eager kernel, which is named.
 */
@NullMarked
package dev.headroom.estimator.compile.rule;

import org.jspecify.annotations.NullMarked;
