/**
 * The backend in plain Java: the numerical reference, always available. Computes in double precision and rounds to each
 * result's type, so that it is at least as exact as a GPU.
 */
@NullMarked
package dev.headroom.executor.host;

import org.jspecify.annotations.NullMarked;
