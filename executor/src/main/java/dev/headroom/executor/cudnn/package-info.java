/**
 * Asks cuDNN itself for the plans and workspaces of convolutions, for GPUs that need not be there: from version 9.8 on
 * cuDNN takes a GPU's properties in place of a handle. Needs neither a GPU nor a driver.
 */
@NullMarked
package dev.headroom.executor.cudnn;

import org.jspecify.annotations.NullMarked;
