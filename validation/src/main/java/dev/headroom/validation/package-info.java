/**
 * Predictions held against what was measured. This package compares one recorded run of the real PyTorch phase by
 * phase; the packages below hold the other kinds of truth (published figures, random models) and the command that
 * reports them all.
 */
@NullMarked
package dev.headroom.validation;

import org.jspecify.annotations.NullMarked;
