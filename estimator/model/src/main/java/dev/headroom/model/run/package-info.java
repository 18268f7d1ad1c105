/**
 * What prediction and measurement share about a run without sharing how it goes: the names of its phases, the moments in
 * it, and what the allocator held at the end of each phase. Both play the same phases in the same order, so that their
 * results can be laid beside each other and beside a recording of PyTorch.
 */
package dev.headroom.model.run;
