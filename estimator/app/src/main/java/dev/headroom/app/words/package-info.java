/**
 * Sentences in the words of those who read them. Messages, warnings and advice mention settings by their names, between
 * backticks; each {@link dev.headroom.app.words.Door} through which users come writes them in its own way. Begin there.
 */
@NullMarked
package dev.headroom.app.words;

import org.jspecify.annotations.NullMarked;
