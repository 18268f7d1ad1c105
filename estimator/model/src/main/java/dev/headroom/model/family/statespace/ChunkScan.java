package dev.headroom.model.family.statespace;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.Arrays;

/** {@code mamba2_chunk_scan}: states within chunks of tokens, and from each chunk to the next. */
final class ChunkScan {
    private static final long ALL = Long.MAX_VALUE;

    private final ChunkShape shape;
    private final long padding;
    private final long chunks;

    ChunkScan(ChunkShape shape, long seq) {
        this.shape = shape;
        padding = (shape.chunk() - seq % shape.chunk()) % shape.chunk();
        chunks = (seq + padding) / shape.chunk();
    }

    Value write(Scope s, Value given, Value steps, Value rates, Value b, Value c, Value skip, Value bias) {
        s.line("dt = dt + dt_bias.to(dt.dtype)");
        Value narrow = s.op("aten.to.dtype", "self", bias, "dtype", new Argument.TypeOf(steps.name()));
        Value dt = s.op("aten.add.Tensor", "self", steps, "other", narrow);
        s.line("dt = F.softplus(dt)");
        dt = s.op("aten.softplus.default", "self", dt);
        s.line("dt = torch.clamp(dt, min=dt_limit[0], max=dt_limit[1])");
        dt = s.op("aten.clamp.default", "self", dt, "min", 0.0, "max", Double.POSITIVE_INFINITY);
        s.line("x = x.float()");
        Value x = Mixing.wide(s, given);
        s.line("B = B.float().repeat_interleave(heads // groups, dim=2, output_size=heads)");
        Value inputs = repeated(s, b);
        s.line("C = C.float().repeat_interleave(heads // groups, dim=2, output_size=heads)");
        Value readings = repeated(s, c);
        s.line("D_residual = D[..., None] * pad_tensor_by_size(x, pad_size)");
        Value column = unsqueezed(s, skip, -1);
        Value residual = mul(s, column, padded(s, x, 4));
        s.line("x = x * dt[..., None].float()");
        x = mul(s, x, Mixing.wide(s, unsqueezed(s, dt, -1)));
        s.line("A = A.to(x.dtype) * dt.float()");
        Value wide = s.op("aten.to.dtype", "self", rates, "dtype", new Argument.TypeOf(x.name()));
        Value a = mul(s, wide, Mixing.wide(s, dt));
        s.line("x, A, B, C = [reshape_into_chunks(tensor, pad_size, chunk_size) for tensor in (x, A, B, C)]");
        Value[] chunks = {
            chunks(s, x, 4, shape.size()),
            chunks(s, a, 3, 0),
            chunks(s, inputs, 4, shape.states()),
            chunks(s, readings, 4, shape.states())
        };
        Value whole = scanned(s, chunks[0], chunks[1], chunks[2], chunks[3]);
        s.line("output = output.reshape(batch_size, -1, num_heads, head_dim)");
        SymExpr[] rows = {Request.BATCH, SymExpr.of(-1), SymExpr.of(shape.heads()), SymExpr.of(shape.size())};
        Value out = s.op("aten.reshape.default", "self", whole, "shape", rows);
        s.line("output = output + D_residual");
        out = s.op("aten.add.Tensor", "self", out, "other", residual);
        if (padding > 0) {
            s.line("output = output[:, :sequence_length]");
            out = s.op("aten.slice.Tensor", "self", out, "dim", 1, "start", 0, "end", Request.SEQ);
        }
        return out;
    }

    /** Within chunks, and from each to the next. */
    private Value scanned(Scope s, Value x, Value rates, Value b, Value c) {
        s.line("A = A.permute(0, 3, 1, 2)");
        Value a = permuted(s, rates, 0, 3, 1, 2);
        s.line("A_cumsum = torch.cumsum(A, dim=-1)");
        Value sums = s.op("aten.cumsum.default", "self", a, "dim", -1);
        s.line("L = torch.exp(segment_sum(A))");
        Value l = s.op("aten.exp.default", "self", segments(s, a, 4, shape.chunk()));
        s.line("G = (C[:, :, :, None, :, :] * B[:, :, None, :, :, :]).sum(dim=-1)");
        Value g = sum(s, mul(s, unsqueezed(s, c, 3), unsqueezed(s, b, 2)), -1);
        s.line("M = (G[..., None] * L.permute(0, 2, 3, 4, 1)[..., None]).sum(dim=-1)");
        Value left = unsqueezed(s, g, -1);
        Value m = sum(s, mul(s, left, unsqueezed(s, permuted(s, l, 0, 2, 3, 4, 1), -1)), -1);
        s.line("Y_diag = (M[..., None] * x[:, :, None]).sum(dim=3)");
        left = unsqueezed(s, m, -1);
        Value diagonal = sum(s, mul(s, left, unsqueezed(s, x, 2)), 3);
        s.line("decay_states = torch.exp(A_cumsum[:, :, :, -1:] - A_cumsum)");
        Value last = s.op("aten.slice.Tensor", "self", sums, "dim", 3, "start", -1, "end", ALL);
        Value decays = s.op("aten.exp.default", "self", s.op("aten.sub.Tensor", "self", last, "other", sums));
        s.line("B_decay = B * decay_states.permute(0, -2, -1, 1)[..., None]");
        Value decayed = mul(s, b, unsqueezed(s, permuted(s, decays, 0, -2, -1, 1), -1));
        s.line("states = (B_decay[..., None, :] * x[..., None]).sum(dim=2)");
        left = unsqueezed(s, decayed, -2);
        Value states = sum(s, mul(s, left, unsqueezed(s, x, -1)), 2);
        s.line("previous_states = torch.zeros_like(states[:, :1])");
        Value first = s.op("aten.slice.Tensor", "self", states, "dim", 1, "start", 0, "end", 1);
        Value none = s.op("aten.zeros_like.default", "self", first);
        s.line("states = torch.cat([previous_states, states], dim=1)");
        states = s.op("aten.cat.default", "tensors", new Value[] {none, states}, "dim", 1);
        s.line("decay_chunk = torch.exp(segment_sum(F.pad(A_cumsum[:, :, :, -1], (1, 0)))).transpose(1, 3)");
        Value ends = s.op("aten.select.int", "self", sums, "dim", 3, "index", -1);
        Value chunk = s.op("aten.exp.default", "self", segmentsOfChunks(s, ends));
        chunk = s.op("aten.transpose.int", "self", chunk, "dim0", 1, "dim1", 3);
        s.line("new_states = (decay_chunk[..., None, None] * states[:, :, None, ...]).sum(dim=1)");
        left = unsqueezed(s, unsqueezed(s, chunk, -1), -1);
        Value next = sum(s, mul(s, left, unsqueezed(s, states, 2)), 1);
        s.line("states, final_state = new_states[:, :-1], new_states[:, -1]");
        states = s.op("aten.slice.Tensor", "self", next, "dim", 1, "start", 0, "end", -1);
        Value end = s.op("aten.select.int", "self", next, "dim", 1, "index", -1);
        s.line("state_decay_out = torch.exp(A_cumsum)");
        Value kept = s.op("aten.exp.default", "self", sums);
        s.line("C_times_states = C[..., None, :] * states[:, :, None, ...]");
        left = unsqueezed(s, c, -2);
        Value read = mul(s, left, unsqueezed(s, states, 2));
        s.line("Y_off = C_times_states.sum(-1) * state_decay_out.permute(0, 2, 3, 1)[..., None]");
        Value off = mul(s, sum(s, read, -1), unsqueezed(s, permuted(s, kept, 0, 2, 3, 1), -1));
        s.line("output = Y_diag + Y_off");
        Value out = s.op("aten.add.Tensor", "self", diagonal, "other", off);
        s.use(end);
        return out;
    }

    private Value repeated(Scope s, Value x) {
        return s.op(
                "aten.repeat_interleave.self_int",
                "self",
                Mixing.wide(s, x),
                "repeats",
                shape.heads() / shape.groups(),
                "dim",
                2,
                "output_size",
                shape.heads());
    }

    /** {@code pad_tensor_by_size}: tokens up to whole chunks. */
    private Value padded(Scope s, Value x, int dims) {
        return dims == 4 ? pad(s, x, 0, 0, 0, 0, 0, padding, 0, 0) : pad(s, x, 0, 0, 0, padding, 0, 0);
    }

    private static Value pad(Scope s, Value x, long... sides) {
        return s.op("aten.pad.default", "self", x, "pad", sides, "mode", "constant", "value", 0.0);
    }

    /** {@code reshape_into_chunks}. */
    private Value chunks(Scope s, Value x, int dims, long size) {
        Value all = padded(s, x, dims);
        SymExpr batch = Request.BATCH;
        SymExpr chunk = SymExpr.of(shape.chunk());
        SymExpr heads = SymExpr.of(shape.heads());
        SymExpr rest = SymExpr.of(-1);
        SymExpr last = SymExpr.of(size);
        SymExpr[] sizes =
                dims == 3 ? new SymExpr[] {batch, rest, chunk, heads} : new SymExpr[] {batch, rest, chunk, heads, last};
        return s.op("aten.reshape.default", "self", all, "shape", sizes);
    }

    /** {@code segment_sum}. */
    private static Value segments(Scope s, Value x, int dims, long length) {
        return s.function("segment_sum", () -> summed(s, x, dims, length));
    }

    /** The same of what is made for it alone, which its own variable lets go of. */
    private Value segmentsOfChunks(Scope s, Value ends) {
        return s.function("segment_sum", () -> {
            s.line("x = F.pad(A_cumsum[:, :, :, -1], (1, 0))");
            return summed(s, pad(s, ends, 1, 0), 3, chunks + 1);
        });
    }

    private static Value summed(Scope s, Value x, int dims, long length) {
        long[] sizes = new long[dims + 1];
        Arrays.fill(sizes, -1);
        sizes[dims] = length;
        s.line("x = x[..., None].expand(*x.size(), chunk_size)");
        Value wide = s.op("aten.expand.default", "self", unsqueezed(s, x, -1), "size", sizes);
        s.line("mask = torch.tril(torch.ones(chunk_size, chunk_size, dtype=torch.bool), diagonal=-1)");
        Value mask = triangle(s, length, -1);
        s.line("x = x.masked_fill(~mask, 0)");
        Value filled = s.op(
                "aten.masked_fill.Scalar",
                "self",
                wide,
                "mask",
                s.op("aten.bitwise_not.default", "self", mask),
                "value",
                0);
        s.line("tensor_segsum = torch.cumsum(x, dim=-2)");
        Value sums = s.op("aten.cumsum.default", "self", filled, "dim", -2);
        s.line("mask = torch.tril(torch.ones(chunk_size, chunk_size, dtype=torch.bool), diagonal=0)");
        Value lower = triangle(s, length, 0);
        s.line("tensor_segsum = tensor_segsum.masked_fill(~mask, -torch.inf)");
        return s.op(
                "aten.masked_fill.Scalar",
                "self",
                sums,
                "mask",
                s.op("aten.bitwise_not.default", "self", lower),
                "value",
                Double.NEGATIVE_INFINITY);
    }

    private static Value triangle(Scope s, long size, long diagonal) {
        Value ones = s.op("aten.ones.default", "size", new long[] {size, size}, "dtype", DType.BOOL);
        return s.op("aten.tril.default", "self", ones, "diagonal", diagonal);
    }

    private static Value mul(Scope s, Value a, Value b) {
        return s.op("aten.mul.Tensor", "self", a, "other", b);
    }

    private static Value sum(Scope s, Value x, long dim) {
        return s.op("aten.sum.dim_IntList", "self", x, "dim", new long[] {dim});
    }

    private static Value unsqueezed(Scope s, Value x, long dim) {
        return s.op("aten.unsqueeze.default", "self", x, "dim", dim);
    }

    private static Value permuted(Scope s, Value x, long... dims) {
        return s.op("aten.permute.default", "self", x, "dims", dims);
    }
}
