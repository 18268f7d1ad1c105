@NullMarked
package dev.headroom.allocator.snapshot;

import org.jspecify.annotations.NullMarked;
