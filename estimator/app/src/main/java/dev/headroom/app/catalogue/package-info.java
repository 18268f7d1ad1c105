/**
 * Lists of what Headroom knows, as tables and as JSON: operators and those that are missing, models, cards. Each list
 * is a class, such as {@link dev.headroom.app.catalogue.OperatorTable}, which the command of the same name prints.
 */
@NullMarked
package dev.headroom.app.catalogue;

import org.jspecify.annotations.NullMarked;
