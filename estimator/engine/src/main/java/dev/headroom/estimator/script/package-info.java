/**
 * Plays loops of several models, as {@code model.script} reads them: {@code ScriptLoop} stands in the place of a
 * library's loop, {@code Interpreter} runs its statements, {@code Evaluator} their expressions, with references as
 * Python has them. A function that lines may call is a row of {@code functions.csv} and needs no code here.
 */
@NullMarked
package dev.headroom.estimator.script;

import org.jspecify.annotations.NullMarked;
