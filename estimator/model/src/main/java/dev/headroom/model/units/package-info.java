/**
 * Numbers of bytes as people read them.
 */
package dev.headroom.model.units;
