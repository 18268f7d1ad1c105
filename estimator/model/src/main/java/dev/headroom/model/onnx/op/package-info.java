/**
 * What ONNX's operators are in PyTorch. {@link OperatorTable} has a row for each, in families; a row writes one or
 * several ATen calls and says the shape of the result. {@link GraphWriter} keeps what is known of each value; small
 * integers, such as shapes, are computed as expressions and never become tensors unless a call reads them as one.
 */
@NullMarked
package dev.headroom.model.onnx.op;

import org.jspecify.annotations.NullMarked;
