/**
 * Tools around the rules for cuDNN's workspaces: they collect answers of an installed cuDNN, describe them for the
 * program that learns rules, and count how often the rules that ship are right on layers that learning never saw.
 * {@link AnswerLine} is the format of the files.
 */
@NullMarked
package dev.headroom.validation.cudnn;

import org.jspecify.annotations.NullMarked;
