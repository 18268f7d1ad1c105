/**
 * Models from their {@code config.json}: the calls that the transformers library's own classes make, written with
 * {@link dev.headroom.model.dsl}. Begin with {@link dev.headroom.model.family.ConfigImporter}; a family is a line of
 * {@link dev.headroom.model.family.Families} and a class.
 */
@NullMarked
package dev.headroom.model.family;

import org.jspecify.annotations.NullMarked;
