/**
 * What the user can mend. A {@link UserInputException} carries one line that says what is wrong, where, and what to
 * do; the command line prints it and exits with status 2. Any other exception is a defect of Headroom. {@link
 * Suggestion} finds the name that was probably meant.
 */
@NullMarked
package dev.headroom.model.error;

import org.jspecify.annotations.NullMarked;
