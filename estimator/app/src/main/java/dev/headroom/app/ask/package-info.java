/**
 * Questions that do not stand on the command line. A {@link dev.headroom.app.ask.Question} is a model with options by
 * their words; {@link dev.headroom.app.ask.Models} reads each model once.
 */
@NullMarked
package dev.headroom.app.ask;

import org.jspecify.annotations.NullMarked;
