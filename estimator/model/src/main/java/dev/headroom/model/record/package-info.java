/** How records are changed: a record has a method for each component that makes the same record with another value. */
@NullMarked
package dev.headroom.model.record;

import org.jspecify.annotations.NullMarked;
