/** Tells in sentences why a run takes the memory it takes, with the numbers of its timeline. */
package dev.headroom.advisor.explain;
