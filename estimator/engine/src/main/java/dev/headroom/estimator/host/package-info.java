/**
 * Threads of the process that PyTorch runs in, as far as memory depends on which of them works: each counts the
 * operators that autograd records, remembers its plans of convolutions and has library handles of its own. Begin with
 * {@link dev.headroom.estimator.host.HostThreads}.
 */
@NullMarked
package dev.headroom.estimator.host;

import org.jspecify.annotations.NullMarked;
