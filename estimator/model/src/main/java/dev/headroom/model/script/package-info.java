/**
 * Training loops that options cannot say, written in a file: several models, optimizers and losses in the order of the
 * loop. {@link dev.headroom.model.script.ScriptFile} reads one, {@link dev.headroom.model.script.Script} is what it
 * says, and its lines are those of Python, read by {@link dev.headroom.model.script.LineParser}.
 */
@NullMarked
package dev.headroom.model.script;

import org.jspecify.annotations.NullMarked;
