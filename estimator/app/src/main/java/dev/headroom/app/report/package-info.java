/** Predictions as JSON, as a screen of text and as tables. */
package dev.headroom.app.report;
