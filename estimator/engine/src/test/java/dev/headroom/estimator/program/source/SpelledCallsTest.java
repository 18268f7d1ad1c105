package dev.headroom.estimator.program.source;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

public class SpelledCallsTest {
    /** The modules that a line of {@code block} calls, and how many of them its first run calls. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x = layer(x) | block.layers.0 block.layers.1 | 1",
                "input = module(input) | block.0 block.1 block.2 | 1",
                "y = self.out(self.drop(F.silu(self.norm(x)))) | block.norm block.drop block.out | 3",
                "y = y + self.skip[i](x) | block.skip.0 block.skip.1 | 1",
                "x = self.up[1](self.up[0](x)) | block.up.0 block.up.1 | 2",
                "x = conv(norm(x)) | block.norms.0 block.convs.0 block.norms.1 | 2",
                "out.append(torch.cat((a(f), b(f)), 1)) | block.heads.0.0 block.heads.0.1 block.heads.1.0 | 2",
                "x = l['attn'](l['norm'](x)) | block.l.0.norm block.l.0.attn block.l.1.norm | 2",
                "e = torch.stack([f(x) for f in self.v], -1) | block.v.0 block.v.1 block.v.2 | 3",
                "x = blk(x, n, self.size) | block.blocks.0 block.blocks.1 | 1",
                "x = self.features(x) | block.conv block.norm | 2",
            })
    void aRunOfTheLineCallsWhatItSpells(String line, String called, int inFirstRun) {
        SpelledCalls calls = new SpelledCalls(line);
        int n = 0;
        for (String path : List.of(called.split(" "))) {
            if (!calls.add("block", path)) {
                break;
            }
            n++;
        }
        assertEquals(inFirstRun, n);
    }
}
