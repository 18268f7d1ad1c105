/** Where a device's driver places what is asked for. */
@NullMarked
package dev.headroom.allocator.address;

import org.jspecify.annotations.NullMarked;
