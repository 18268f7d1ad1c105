/** How records are changed: a record has a method for each component that makes the same record with another value. */
package dev.headroom.model.record;
