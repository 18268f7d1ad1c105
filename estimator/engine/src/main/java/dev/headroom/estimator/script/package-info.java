/**
 * Plays loops of several models, as {@code model.script} reads them: {@code ScriptLoop} stands in the place of a
 * library's loop, {@code Interpreter} runs its statements, {@code Evaluator} their expressions, with references as
 * Python has them.
 */
package dev.headroom.estimator.script;
