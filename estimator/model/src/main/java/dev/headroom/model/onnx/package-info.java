/**
 * Graphs of ONNX, as PyTorch's kernels would run them. {@link OnnxImporter} reads a file and writes its calls with the
 * table of operators; {@link ModulePaths} finds the modules that an exporter has written beside them. Such a graph is
 * for inference: it says nothing of what is trained.
 */
@NullMarked
package dev.headroom.model.onnx;

import org.jspecify.annotations.NullMarked;
