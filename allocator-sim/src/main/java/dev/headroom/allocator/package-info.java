@NullMarked
package dev.headroom.allocator;

import org.jspecify.annotations.NullMarked;
