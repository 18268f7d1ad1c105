/**
 * ONNX files as they are written, without their weights. {@link OnnxReader} reads the protobuf field by field and skips
 * what tensors contain, but for small ones: shapes and axes are among them. {@link OnnxFile} is what comes of it.
 */
@NullMarked
package dev.headroom.model.onnx.file;

import org.jspecify.annotations.NullMarked;
