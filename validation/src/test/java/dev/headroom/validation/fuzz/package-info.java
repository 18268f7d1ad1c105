/**
 * Fuzzing: whatever stands in a file, Headroom answers with a result or with one clear line.
 * {@link dev.headroom.validation.fuzz.Reader} is the table of everything that reads what users bring; adding a reader
 * is adding a row. Edits that know JSON, text and archives turn the fuzzer's bytes into files, and
 * {@link dev.headroom.validation.fuzz.Judge} says what is wrong with an answer.
 */
@NullMarked
package dev.headroom.validation.fuzz;

import org.jspecify.annotations.NullMarked;
