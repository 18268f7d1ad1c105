/** Tensors over real memory: layouts, reference-counted storages, the scopes that local variables live in. */
package dev.headroom.executor.tensor;
