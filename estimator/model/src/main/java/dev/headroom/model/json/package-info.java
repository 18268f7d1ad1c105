/**
 * JSON documents as plain maps and lists, read by Jackson's parser. Documents are hostile until read: depth, length and
 * the length of numbers are capped.
 */
@NullMarked
package dev.headroom.model.json;

import org.jspecify.annotations.NullMarked;
