/**
 * What an operator is: a function of the runtime and of the arguments of a call, found by its name without overload.
 * All families of operators know this package, and it knows none of them.
 */
@NullMarked
package dev.headroom.executor.op.registry;

import org.jspecify.annotations.NullMarked;
