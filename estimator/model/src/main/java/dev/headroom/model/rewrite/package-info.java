/**
 * Undoes what exporting changed: some libraries look whether they are being traced and then build what eager execution
 * skips. A graph is rewritten into the calls that the eager program makes.
 */
package dev.headroom.model.rewrite;
