/**
 * Lists of what Headroom knows, as tables and as JSON: operators and those that are missing, models, cards.
 */
@NullMarked
package dev.headroom.app.catalogue;

import org.jspecify.annotations.NullMarked;
