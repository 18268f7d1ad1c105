/**
 * How records are changed: a record has a method for each component that makes the same record with another value.
 * {@link dev.headroom.model.record.Withers} marks such a record, and the methods are generated.
 */
@NullMarked
package dev.headroom.model.record;

import org.jspecify.annotations.NullMarked;
