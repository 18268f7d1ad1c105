/** Predictions of ONNX files beside runs of the modules that they were exported from. Begin with {@link OnnxTest}. */
@NullMarked
package dev.headroom.validation.onnx;

import org.jspecify.annotations.NullMarked;
