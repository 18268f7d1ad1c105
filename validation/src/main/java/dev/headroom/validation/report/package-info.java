/**
 * A validation as the user sees it: on the terminal, as JSON and as a page for the browser. Reports read scores and
 * compute nothing.
 */
@NullMarked
package dev.headroom.validation.report;

import org.jspecify.annotations.NullMarked;
