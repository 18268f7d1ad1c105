/**
 * The one catalogue of changes that a training program may be given to need less memory. A
 * {@link dev.headroom.advisor.change.Change} is a function from scenario to scenario with a title, its price, how deep
 * it goes, and the lines of PyTorch to write. The tables behind {@link dev.headroom.advisor.change.Catalogue} say for
 * each when a run leaves it to be made, whether plans may propose it, and what an explanation says of it. Whether a
 * change helps a run is found out by playing it, and not known here.
 */
@NullMarked
package dev.headroom.advisor.change;

import org.jspecify.annotations.NullMarked;
