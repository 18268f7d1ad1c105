/** How much the service bears: {@link dev.headroom.validation.load.LoadService} is a program, not a test. */
@NullMarked
package dev.headroom.validation.load;

import org.jspecify.annotations.NullMarked;
