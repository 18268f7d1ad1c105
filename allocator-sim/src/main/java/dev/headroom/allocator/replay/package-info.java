@NullMarked
package dev.headroom.allocator.replay;

import org.jspecify.annotations.NullMarked;
