package dev.headroom.executor.cudnn;

import static org.bytedeco.cuda.global.cudnn.*;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.graph.DType;
import java.util.List;
import org.bytedeco.cuda.cudnn.cudnnBackendDescriptor_t;

/** A convolution as an operation graph of one node, as PyTorch builds it (Conv_v8.cpp, build_opgraph). */
final class OperationGraph {
    /** Attributes of the three operations. */
    private enum Operation {
        FORWARD(
                CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA),
        DATA(
                CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA),
        FILTER(
                CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA);

        private final int type;
        private final int x;
        private final int w;
        private final int y;
        private final int convolution;
        private final int alpha;
        private final int beta;

        Operation(int type, int x, int w, int y, int convolution, int alpha, int beta) {
            this.type = type;
            this.x = x;
            this.w = w;
            this.y = y;
            this.convolution = convolution;
            this.alpha = alpha;
            this.beta = beta;
        }
    }

    /** The tensors' names. */
    static final int X = 'x';

    static final int W = 'w';
    static final int Y = 'y';

    private OperationGraph() {}

    static cudnnBackendDescriptor_t of(Descriptors d, ConvolutionProblem p, PlanTarget target) {
        cudnnBackendDescriptor_t convolution = convolution(d, p);
        Operation o = Operation.valueOf(p.direction().name());
        cudnnBackendDescriptor_t operation = d.create(o.type);
        d.setDescriptor(operation, o.x, tensor(d, p, p.x(), 0, X));
        d.setDescriptor(operation, o.w, tensor(d, p, p.w(), 1, W));
        d.setDescriptor(operation, o.y, tensor(d, p, p.y(), 2, Y));
        d.setDescriptor(operation, o.convolution, convolution);
        if (p.type() == DType.FLOAT64) {
            d.setDouble(operation, o.alpha, CUDNN_TYPE_DOUBLE, 1);
            d.setDouble(operation, o.beta, CUDNN_TYPE_DOUBLE, 0);
        } else {
            d.setFloat(operation, o.alpha, CUDNN_TYPE_FLOAT, 1);
            d.setFloat(operation, o.beta, CUDNN_TYPE_FLOAT, 0);
        }
        d.finish(operation);
        cudnnBackendDescriptor_t graph = d.create(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
        target.tellGraph(d, graph);
        d.setDescriptor(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
        d.finish(graph);
        return graph;
    }

    /** Half precision is summed in single precision. */
    private static cudnnBackendDescriptor_t convolution(Descriptors d, ConvolutionProblem p) {
        cudnnBackendDescriptor_t c = d.create(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
        int compute = p.type() == DType.FLOAT64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
        d.setLongs(c, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, p.stride().size());
        d.setEnum(c, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, compute);
        d.setEnum(c, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
        d.setLongs(c, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, array(p.padding()));
        d.setLongs(c, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, array(p.padding()));
        d.setLongs(c, CUDNN_ATTR_CONVOLUTION_DILATIONS, array(p.dilation()));
        d.setLongs(c, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, array(p.stride()));
        d.finish(c);
        return c;
    }

    private static cudnnBackendDescriptor_t tensor(
            Descriptors d, ConvolutionProblem p, List<Long> sizes, int which, int name) {
        cudnnBackendDescriptor_t t = d.create(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
        d.setEnum(t, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, DnnType.of(p.type()));
        d.setLongs(t, CUDNN_ATTR_TENSOR_DIMENSIONS, array(sizes));
        d.setLongs(t, CUDNN_ATTR_TENSOR_STRIDES, strides(sizes, p.channelsLast()));
        d.setLongs(t, CUDNN_ATTR_TENSOR_UNIQUE_ID, name);
        d.setLongs(t, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, p.alignment().get(which));
        d.finish(t);
        return t;
    }

    /** Packed: PyTorch makes the strides of dimensions of size 1 regular as well (Conv_v8.cpp, fixSizeOneDimStride). */
    private static long[] strides(List<Long> sizes, boolean channelsLast) {
        int n = sizes.size();
        long[] out = new long[n];
        long step = 1;
        if (channelsLast) {
            out[1] = 1;
            step = sizes.get(1);
        }
        for (int i = n - 1; i >= 0; i--) {
            if (!(channelsLast && i == 1)) {
                out[i] = step;
                step *= sizes.get(i);
            }
        }
        return out;
    }

    private static long[] array(List<Long> values) {
        return values.stream().mapToLong(v -> v).toArray();
    }
}
