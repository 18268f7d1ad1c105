package dev.headroom.executor.autograd;

/**
 * Where a gradient goes.
 *
 * @param input which of the node's inputs, that is, which result of its operator
 */
record Edge(Node node, int input) {}
