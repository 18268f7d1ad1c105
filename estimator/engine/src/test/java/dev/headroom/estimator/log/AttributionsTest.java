package dev.headroom.estimator.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Numbers stand for who makes an allocation, each always for the same. */
class AttributionsTest {
    @Property(tries = 200)
    void equalOnesHaveOneNumberAndOthersAnother(
            @ForAll @Size(max = 30) List<@IntRange(max = 3) Integer> modules,
            @ForAll @Size(max = 30) List<@IntRange(max = 5) Integer> nodes) {
        Attributions numbers = new Attributions();
        assertEquals(new Attribution("", "", ""), numbers.get(numbers.running()));
        Map<Attribution, Integer> known = new HashMap<>(Map.of(numbers.get(0), 0));
        for (int m : modules) {
            Attribution forward = new Attribution(m == 0 ? "" : "layer." + m, m == 0 ? "" : "aten.add", "");
            int number = numbers.number(forward);
            assertEquals(known.computeIfAbsent(forward, a -> known.size()), number);
            assertEquals(forward, numbers.get(number));
            for (int n : nodes) {
                Attribution backward = new Attribution(forward.module(), forward.operator(), "Backward" + n);
                int of = numbers.number(number, "Backward" + n);
                assertEquals(known.computeIfAbsent(backward, a -> known.size()), of);
                assertEquals(backward, numbers.get(of));
            }
            numbers.run(number);
            assertEquals(number, numbers.running());
        }
        assertEquals(known.size(), numbers.all().size());
    }
}
