/**
 * YAML files as people write them, whose every part knows its line: loops and grids. Files are hostile until read: the
 * length of a line and the depth are capped.
 */
@NullMarked
package dev.headroom.model.yaml;

import org.jspecify.annotations.NullMarked;
