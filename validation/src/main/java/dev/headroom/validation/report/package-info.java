/** A validation on the terminal, as JSON and as a page. */
package dev.headroom.validation.report;
