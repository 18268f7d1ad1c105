/**
 * Where a device's driver places what is asked for. Between free blocks of one size the allocator takes that of the
 * lowest address, so that this decides how memory fragments. {@link dev.headroom.allocator.address.Placement} names the
 * ways: NVIDIA's driver, and the null libraries over which PyTorch was recorded.
 */
@NullMarked
package dev.headroom.allocator.address;

import org.jspecify.annotations.NullMarked;
